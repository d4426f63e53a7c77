export { startPool as default } from './n8nPool';
