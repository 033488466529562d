import {
  REVERT_OUTCOMES,
  type Revert,
  type RevertOutcome,
  type RevertRecord,
  type RevertScope,
} from '@recordhub/protocol'
import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { found, HubError } from '../errors.ts'
import { describeRevert } from '../features/reverts/describe-revert.ts'
import { planRevert } from '../features/reverts/plan-revert.ts'
import { toSingleLine } from '../lib/text/code-points.ts'
import { systemClock } from '../lib/time/clock.ts'
import type { CommandContext } from './arguments.ts'
import { findPlatform } from './guide.ts'
import { type Storage, withStorage } from './open-storage.ts'

type Subcommand = (storage: Storage, id: number | null, context: CommandContext) => Promise<void>

const REQUESTER = { actor: 'command line', address: null }
const PAGE = 200
const MAX_REASON = 500
const MAX_LENGTH = 200

/** The subcommands of `recordhub revert`. They work next to a running hub, which does the work of a started revert. */
const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  async plan(storage, _id, context) {
    const { options, config } = context
    const reason = (options['reason'] ?? '').trim()
    if (reason === '' || reason.length > MAX_REASON) {
      throw new SettingError(`revert plan: --reason must have 1 to ${MAX_REASON} characters.`)
    }
    const scope = await readScope(options, config)
    const deps = { ...storage, clock: systemClock }
    const revert = await planRevert(deps, { scope, reason }, REQUESTER.actor)
    const details = { scope, reason, counts: revert.counts }
    const target = `revert ${revert.id}`
    await storage.activity.appendAudit({ ...REQUESTER, action: 'revert.plan', target, details })
    printRevert(revert, context)
    if (!context.switches.has('json')) {
      context.print(`Nothing is changed yet. Start it: recordhub revert start ${revert.id}`)
    }
  },

  async show(storage, id, context) {
    const { options } = context
    if (id === null) return printList(storage, context)
    const revert = found('revert', await storage.reverts.readRevert(id))
    if (options['outcome'] === undefined) return printRevert(revert, context)
    await printRecords(storage, id, parseOutcome(options['outcome']), context)
  },

  async start(storage, id, context) {
    const revert = found('revert', await storage.reverts.readRevert(id ?? 0))
    const log = describeRevert('start', revert, REQUESTER)
    const started = await storage.reverts.startRevert(revert.id, REQUESTER.actor, log)
    if (started === 'already_running') throw new HubError('revert_already_running')
    if (started === 'not_planned') {
      throw new HubError('revert_not_possible', {
        reason:
          'only a plan of the last 24 hours that was neither started nor cancelled can be started',
      })
    }
    await printState(storage, revert.id, context)
  },

  async cancel(storage, id, context) {
    const revert = found('revert', await storage.reverts.readRevert(id ?? 0))
    const log = describeRevert('cancel', revert, REQUESTER)
    if (!(await storage.reverts.cancelRevert(revert.id, log))) {
      throw new HubError('revert_not_possible', { reason: 'the revert has ended' })
    }
    await printState(storage, revert.id, context)
  },
}

/** @throws SettingError for an unknown subcommand, a wrong number or wrong options. */
export async function revertCommand(context: CommandContext): Promise<void> {
  const { args } = context
  const [name = '', number, ...more] = args
  const run = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined
  const takesNumber = name === 'show' ? [0, 1] : [name === 'plan' ? 0 : 1]
  if (!run || more.length > 0 || !takesNumber.includes(args.length - 1)) {
    throw new SettingError(`There is no command "revert ${args.join(' ')}"; see recordhub --help.`)
  }
  const id = number === undefined ? null : parseNumber('number', number)
  await withStorage(context.config, (storage) => run(storage, id, context))
}

function parseNumber(option: string, text: string, from = 1): number {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text) && Number(text) >= from) return Number(text)
  throw new SettingError(
    `revert: the ${option} must be a whole number from ${from}, not "${text}".`,
  )
}

function parseOutcome(text: string): RevertOutcome {
  const outcome = REVERT_OUTCOMES.find((one) => one === text)
  if (outcome) return outcome
  throw new SettingError(`revert: --outcome must be ${REVERT_OUTCOMES.join(', ')}.`)
}

/** Options of a scope: those that it needs, then those that it may have. */
const SCOPES = [
  { needs: ['pull'], allows: ['platform', 'module'] },
  { needs: ['platform', 'from', 'to'], allows: [] },
  { needs: ['record', 'change'], allows: [] },
  { needs: ['revert'], allows: [] },
]
const SCOPE_OPTIONS = [...new Set(SCOPES.flatMap(({ needs, allows }) => [...needs, ...allows]))]

/** @throws SettingError for options of no scope, or of several ones. */
async function readScope(options: Record<string, string>, config: Config): Promise<RevertScope> {
  const given = SCOPE_OPTIONS.filter((name) => options[name] !== undefined)
  const isOne = SCOPES.some(
    ({ needs, allows }) =>
      needs.every((name) => given.includes(name)) &&
      given.every((name) => needs.includes(name) || allows.includes(name)),
  )
  if (!isOne) {
    throw new SettingError(
      'revert plan: the scope must be --pull, with --platform and --module for a part of it; --platform with --from and --to; --record with --change; or --revert.',
    )
  }
  const { platform: name, module, from = '', to = '', pull, record, change = '' } = options
  const platform = name === undefined ? '' : (await findPlatform(config, name)).platform_name
  if (pull !== undefined) {
    return {
      pull_id: parseNumber('pull', pull),
      ...(platform === '' ? {} : { platform }),
      ...(module === undefined ? {} : { record_type: module }),
    }
  }
  if (platform !== '') return { platform, from, to }
  if (record !== undefined) {
    return { record_id: parseNumber('record', record), version: parseNumber('change', change, 0) }
  }
  return { revert_id: parseNumber('revert', options['revert'] ?? '') }
}

async function printList({ reverts }: Storage, context: CommandContext): Promise<void> {
  for (let before: number | null = null; ; ) {
    const page: Revert[] = await reverts.listReverts({ pull_id: null, limit: PAGE, before })
    for (const revert of page) printRevert(revert, context)
    if (page.length < PAGE) return
    before = page.at(-1)?.id ?? null
  }
}

async function printRecords(
  { reverts }: Storage,
  revert_id: number,
  outcome: RevertOutcome,
  { switches, print }: CommandContext,
): Promise<void> {
  for (let after: number | null = null; ; ) {
    const query = { revert_id, outcome, limit: PAGE, after }
    const page: RevertRecord[] = await reverts.listRecords(query)
    for (const record of page) {
      print(switches.has('json') ? JSON.stringify(record) : describeRecord(record))
    }
    if (page.length < PAGE) return
    after = page.at(-1)?.record_id ?? null
  }
}

function describeRecord(record: RevertRecord): string {
  const { platform_name, record_type, reference_number, kept, reason } = record
  const by = kept?.source ? ` by ${kept.source} at ${kept.at}` : ''
  const why = kept ? `${kept.path}${by}` : (reason ?? '')
  return [record.record_id, `${platform_name}/${record_type}`, reference_number, why]
    .filter((cell) => cell !== '')
    .map((cell) => toSingleLine(String(cell), MAX_LENGTH))
    .join('\t')
}

async function printState(
  { reverts }: Storage,
  id: number,
  context: CommandContext,
): Promise<void> {
  printRevert(found('revert', await reverts.readRevert(id)), context)
}

function printRevert(revert: Revert, { switches, print }: CommandContext): void {
  const { id, state, counts, reason } = revert
  const { reverted, kept, impossible, held_now } = counts
  const numbers = `${reverted} reverted, ${kept} kept, ${impossible} impossible, ${held_now} held now`
  const text = `Revert ${id}\t${state}\t${numbers}\t${toSingleLine(reason, MAX_LENGTH)}`
  print(switches.has('json') ? JSON.stringify(revert) : text)
}
