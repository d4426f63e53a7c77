import { testEach } from './cells';
import { tools } from './places';

describe('as a tool of an agent', () => {
	testEach(tools);
});
