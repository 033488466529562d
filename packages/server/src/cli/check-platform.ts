import { writeFileSync } from 'node:fs'
import type { ConformanceLine, ConformanceReport } from '@recordhub/protocol'
import { checkPlatformAlone, describeReport } from '../app/check-platform.ts'
import { readConfig, SettingError } from '../config/config.ts'
import { readCheckEnvironment } from '../config/environment.ts'
import { checkSourceKey, parseSourceUrl } from '../platform-client/source-url.ts'
import type { Arguments } from './arguments.ts'
import { checkPortFree, checkWritable } from './preflight-checks.ts'
import { readSourceKey } from './prompt-secret.ts'
import { stopSignal } from './start.ts'
import { VERSION } from './version.ts'

const MAX_RECORDS = 1_000_000
const MAX_SECONDS = 900
/** As of whatever Ctrl-C ends. */
const STOPPED = 130

type Asked = Pick<Arguments, 'settings' | 'options' | 'switches'>
type Print = (line: string) => void

/**
 * `recordhub check-platform`: judges a platform as the hub would, and keeps nothing.
 * @returns the exit code: 0 where it conforms, 1 where it does not, 2 where it could not be reached, 130 where it was
 *   stopped.
 * @throws SettingError, HubError for what was mistyped.
 */
export async function checkPlatform(
  { settings, options, switches }: Asked,
  print: Print,
  complain: Print,
): Promise<number> {
  const { config } = readConfig({ flags: settings, ...readCheckEnvironment() })
  const { url, html } = options
  if (url === undefined) throw new SettingError('check-platform: --url is missing; see --help.')
  const maxRecords = readNumber(options, 'max-records', MAX_RECORDS)
  const maxSeconds = readNumber(options, 'max-seconds', MAX_SECONDS)
  const seconds = options['for'] === undefined ? null : readNumber(options, 'for', 0)
  const source_base_url = parseSourceUrl(url)
  const source_api_key = checkSourceKey(options['key'] ?? (await readSourceKey(complain)))
  const target = { source_base_url, source_api_key }
  if (html !== undefined) checkWritable('check-platform: --html', html)
  if (switches.has('push')) await checkPortFree(config.PORT, config.HOST)
  const signal = AbortSignal.any([stopSignal(), unreadSignal()])
  const request = { target, expected: null, maxRecords, maxSeconds }
  // What people follow goes elsewhere where a program reads the report.
  const tell = switches.has('json') ? complain : print
  const push = switches.has('push') ? { seconds, ...listener(tell) } : null
  const lines = checkPlatformAlone(config, request, { version: VERSION, signal, push })
  const report = await follow(lines, switches.has('json') ? () => undefined : print).catch(
    (error: unknown) => {
      if (signal.aborted) return null
      throw error
    },
  )
  if (!report) {
    complain('The check was stopped before its end: there is no report.')
    return STOPPED
  }
  if (html !== undefined) writeFileSync(html, describeReport.html(report))
  if (switches.has('json')) print(JSON.stringify(report, null, 2))
  else print(describeReport.verdict(report))
  return exitCodeOf(report, switches.has('strict'))
}

/** Aborts when nobody reads any more what is printed: `… | head`. */
function unreadSignal(): AbortSignal {
  const unread = new AbortController()
  process.stdout.on('error', () => unread.abort())
  return unread.signal
}

function listener(print: Print) {
  return {
    onOpen(address: string, hubApiKey: string) {
      print('Warning: what the platform has in its outbox is sent to this check too. It leaves the')
      print(
        'outbox and does not reach your hub. Use a platform with an empty outbox, such as a test',
      )
      print('system, or give the platform another outbox for this check.')
      print('')
      print('Have the platform push to:')
      print(`  Address      ${address}`)
      print(`  Hub API key  ${hubApiKey}`)
      print(
        'and create and change records there. Some pushes are rejected on purpose. Ctrl-C ends the check.',
      )
      print('')
    },
    onPush: (words: string) => print(`  ${words}`),
  }
}

async function follow(
  lines: AsyncGenerator<ConformanceLine, ConformanceReport>,
  print: Print,
): Promise<ConformanceReport> {
  for (;;) {
    const step = await lines.next()
    if (step.done) return step.value
    if (step.value.kind === 'endpoint') print(describeReport.endpoint(step.value.checked))
  }
}

function exitCodeOf({ reached, errors, warnings }: ConformanceReport, isStrict: boolean): number {
  if (!reached) return 2
  return errors > 0 || (isStrict && warnings > 0) ? 1 : 0
}

function readNumber(options: Asked['options'], name: string, otherwise: number): number {
  const text = options[name]
  if (text === undefined) return otherwise
  const value = Number(text)
  if (/^\d{1,9}$/.test(text) && value > 0) return value
  throw new SettingError(`check-platform: --${name} takes a whole number from 1 on, not "${text}".`)
}
