// Loaded into n8n with --require. n8n is started in a process group of its own, so that it can be ended with all its
// children; this ends it when the process that started it is gone without having done so (killed, crashed).
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
