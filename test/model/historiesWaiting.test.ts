import { itKeepsThePromises } from './suite';

itKeepsThePromises('poll', 'suspend');
