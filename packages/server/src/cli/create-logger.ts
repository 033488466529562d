import { destination, type Logger, pino } from 'pino'
import type { Config } from '../config/settings.ts'

/** Maximum size of the lines that wait in memory until the standard output is read. Further ones are dropped. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** Each attempt takes 100 ms. */
const ATTEMPTS_AT_EXIT = 20

/** Creates a logger to the standard output that neither delays the hub nor fills the memory if nothing reads the output. */
export function createLogger(config: Pick<Config, 'HUB_LOG_LEVEL'>): Logger {
  let attemptsLeft = Number.POSITIVE_INFINITY
  const output = destination({
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => attemptsLeft-- > 0,
  })
  const logger = pino({ level: config.HUB_LOG_LEVEL }, output)
  let dropped = 0
  output.on('drop', () => {
    dropped += 1
  })
  output.on('drain', () => {
    if (dropped > 0)
      logger.warn({ lines: dropped }, 'log lines were dropped: nothing read the output')
    dropped = 0
  })
  // Before the listener of pino, which would wait for a reader forever.
  process.prependOnceListener('exit', () => {
    attemptsLeft = ATTEMPTS_AT_EXIT
    try {
      output.flushSync()
    } catch {
      // Nothing reads the output.
    }
    output.destroy()
  })
  return logger
}
