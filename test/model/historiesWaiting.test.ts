import { itKeepsThePromises } from './suite';

jest.mock('node:timers/promises', () => jest.requireActual<object>('./timers'));

itKeepsThePromises('poll', 'suspend');
