export { stopPool as default } from './n8nPool';
