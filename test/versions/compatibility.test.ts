import { closeN8n, startN8n } from './support';
import { agentSuites } from './suites/agent';
import { errorSuites } from './suites/errors';
import { mediaSuites } from './suites/media';
import { nodeSuites } from './suites/nodes';
import { streamingSuites } from './suites/streaming';

// What must work on each version of n8n, on one that runs once for all suites. Each suite is a column of
// docs/compatibility.md.

beforeAll(startN8n);
afterAll(closeN8n);

nodeSuites();
errorSuites();
mediaSuites();
streamingSuites();
agentSuites();
