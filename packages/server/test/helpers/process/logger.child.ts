/** Writes more log lines than fit into the memory for them, and exits when its input is closed. */
import { createLogger } from '../../../src/cli/create-logger.ts'

const logger = createLogger({ HUB_LOG_LEVEL: 'info' })
const padding = 'x'.repeat(1000)
for (let line = 1; line <= 8000; line += 1) logger.info({ line, padding }, 'a line')
process.stderr.write('logged\n')
process.stdin.resume().once('end', () => process.exit(0))
