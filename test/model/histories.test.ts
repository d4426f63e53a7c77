import { itKeepsThePromises } from './suite';

itKeepsThePromises('create', 'text', 'agent');
