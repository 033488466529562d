import { destination, type Logger, pino } from 'pino'
import type { Config } from '../config/settings.ts'

type Output = ReturnType<typeof destination>

/** Maximum size of the lines that wait in memory until the standard output is read. Further ones are dropped. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** Each attempt takes 100 ms. */
const ATTEMPTS_AT_EXIT = 20

/** All loggers of the process share it, since a program may start many hubs. */
let output: Output | null = null

/** Creates a logger to the standard output that neither delays the hub nor fills the memory if nothing reads the output. */
export function createLogger({ HUB_LOG_LEVEL: level }: Pick<Config, 'HUB_LOG_LEVEL'>): Logger {
  output ??= openOutput(level)
  return pino({ level }, output)
}

/** @param level decides whether dropped lines are reported, which is a warning. */
function openOutput(level: Config['HUB_LOG_LEVEL']): Output {
  let attemptsLeft = Number.POSITIVE_INFINITY
  const opened = destination({
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => attemptsLeft-- > 0,
  })
  const logger = pino({ level }, opened)
  let dropped = 0
  opened.on('drop', () => {
    dropped += 1
  })
  opened.on('drain', () => {
    if (dropped > 0)
      logger.warn({ lines: dropped }, 'log lines were dropped: nothing read the output')
    dropped = 0
  })
  // Before the listener of pino, which would wait for a reader forever.
  process.prependOnceListener('exit', () => {
    attemptsLeft = ATTEMPTS_AT_EXIT
    try {
      opened.flushSync()
    } catch {
      // Nothing reads the output.
    }
    opened.destroy()
  })
  return opened
}
