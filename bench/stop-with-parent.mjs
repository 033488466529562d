/** Loaded by the servers that a benchmark starts: stops the server when the benchmark ends, even if it was killed. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
