import { testEach, tools } from './cells';

// The same where an agent calls the node as its tool.

testEach(tools);
