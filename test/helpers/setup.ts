// n8n-core reads its settings from the environment when it is loaded, which is before a test file's own lines.
process.env.N8N_ENCRYPTION_KEY = 'a key for tests only';
process.env.N8N_LOG_LEVEL = 'silent';
