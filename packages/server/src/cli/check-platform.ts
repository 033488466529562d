import { once } from 'node:events'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { formatEndpoint, formatSummary, reportHtml } from '@recordhub/platform-checker'
import type { ConformanceLine, ConformanceReport } from '@recordhub/protocol'
import { readConfig, SettingError } from '../config/config.ts'
import { readCheckEnvironment } from '../config/environment.ts'
import { checkSourceKey, parseSourceUrl } from '../platform-client/platform-client.ts'
import { codeOf } from '../platform-client/request/request-error.ts'
import type { Arguments } from './arguments.ts'
import { checkPlatformStandalone } from './check-platform-standalone.ts'
import { closedOutputSignal, readSourceKey, stopSignal } from './program.ts'
import { VERSION } from './version.ts'

const MAX_RECORDS = 1_000_000
const MAX_SECONDS = 900
/** The exit code of programs that Ctrl-C ends. */
const STOPPED = 130

type CheckArguments = Pick<Arguments, 'settings' | 'options' | 'switches'>
type Print = (line: string) => void

/**
 * `recordhub check-platform`: checks a platform as the hub would, and stores nothing.
 * @returns the exit code: 0 if the platform conforms, 1 if not, 2 if it could not be reached, 130 if the check was stopped.
 * @throws SettingError or HubError for invalid arguments.
 */
export async function checkPlatform(
  { settings, options, switches }: CheckArguments,
  print: Print,
  printError: Print,
): Promise<number> {
  const { config } = readConfig({ flags: settings, ...readCheckEnvironment() })
  const { url, html } = options
  if (url === undefined) throw new SettingError('check-platform: --url is missing; see --help.')
  const maxRecords = readNumber(options, 'max-records', MAX_RECORDS)
  const maxSeconds = readNumber(options, 'max-seconds', MAX_SECONDS)
  const seconds = options['for'] === undefined ? null : readNumber(options, 'for', 0)
  const source_base_url = parseSourceUrl(url)
  const source_api_key = checkSourceKey(options['key'] ?? (await readSourceKey(printError)))
  const target = { source_base_url, source_api_key }
  if (html !== undefined) checkWritable('check-platform: --html', html)
  if (switches.has('push')) await checkPortFree(config.PORT, config.HOST)
  const signal = AbortSignal.any([stopSignal(), closedOutputSignal()])
  const request = { target, expected: null, maxRecords, maxSeconds }
  // With --json, standard output contains only the report.
  const isJson = switches.has('json')
  const push = switches.has('push')
    ? { seconds, ...printPushes(isJson ? printError : print) }
    : null
  const lines = checkPlatformStandalone(config, request, { version: VERSION, signal, push })
  const report = await printEndpoints(lines, isJson ? () => undefined : print).catch(
    (error: unknown) => {
      if (signal.aborted) return null
      throw error
    },
  )
  if (!report) {
    printError('The check was stopped before it was complete: there is no report.')
    return STOPPED
  }
  if (html !== undefined) writeFileSync(html, reportHtml(report))
  if (isJson) print(JSON.stringify(report, null, 2))
  else print(formatSummary(report))
  return exitCodeOf(report, switches.has('strict'))
}

function printPushes(print: Print) {
  return {
    onOpen(address: string, hubApiKey: string) {
      print(
        'Warning: the pushes in the outbox of the platform are sent to this check too. They leave the',
      )
      print('outbox and do not reach your hub. Use a platform with an empty outbox, such as a test')
      print('system, or give the platform another outbox for this check.')
      print('')
      print('Configure the platform to push to:')
      print(`  Address      ${address}`)
      print(`  Hub API key  ${hubApiKey}`)
      print(
        'and create and change records there. Some pushes are rejected on purpose. Ctrl-C ends the check.',
      )
      print('')
    },
    onPush: (line: string) => print(`  ${line}`),
  }
}

async function printEndpoints(
  lines: AsyncGenerator<ConformanceLine, ConformanceReport>,
  print: Print,
): Promise<ConformanceReport> {
  for (;;) {
    const step = await lines.next()
    if (step.done) return step.value
    if (step.value.kind === 'endpoint') print(formatEndpoint(step.value.checked))
  }
}

function exitCodeOf({ reached, errors, warnings }: ConformanceReport, isStrict: boolean): number {
  if (!reached) return 2
  return errors > 0 || (isStrict && warnings > 0) ? 1 : 0
}

function readNumber(
  options: CheckArguments['options'],
  name: string,
  defaultValue: number,
): number {
  const text = options[name]
  if (text === undefined) return defaultValue
  const value = Number(text)
  if (/^\d{1,9}$/.test(text) && value > 0) return value
  throw new SettingError(`check-platform: --${name} must be a positive integer, not "${text}".`)
}

/** Does not change the file. @throws SettingError if it cannot be written. */
function checkWritable(flag: string, file: string): void {
  try {
    closeSync(openSync(file, 'a'))
  } catch (error) {
    throw new SettingError(`${flag}: "${file}" cannot be written (${codeOf(error)}).`)
  }
}

/** @throws SettingError if no server can listen there. */
async function checkPortFree(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new SettingError(
      `--host, --port: cannot listen at ${host}, port ${port} (${codeOf(error)}).`,
    )
  }
  server.close()
  await once(server, 'close')
}
