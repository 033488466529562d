/** `recordhub revert` and `recordhub doctor --audit` beside a running hub and after a restore. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EngineSandbox, enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { connectOperator } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { test } from '../helpers/process/sandbox.ts'
import { untilTrue } from '../helpers/time/until.ts'
import { runDoctor } from './doctor.ts'

/** Several commits of a revert. */
const RECORDS = 1000

const changed = (text: string) => text.replace('Number 1"', 'Number one"')

for (const engine of enginesForTier(sqlite)) {
  test(`a pull is reverted from the command line, and doctor names the revert that an older backup lacks (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const hub = await sandbox.startHub({ env: { HUB_PULL_SCHEDULE: 'off' } })
    const operator = await connectOperator(hub)
    const module = generateModule('person', 3)
    const platform = await startPlatform(t, { name: 'archive', modules: [module] })
    await operator.registerModules(platform)
    await operator.pullAll()
    module.records = module.records.map(changed)
    const { pull } = await operator.pullAll()
    const backup = join(sandbox.folder, 'old.recordhub-backup')
    await succeed(kit, 'backup', '--out', backup)

    const scope = ['--pull', String(pull.id), '--platform', 'archive', '--module', 'person']
    const [planned, hint] = await succeed(kit, 'revert', 'plan', ...scope, '--reason', 'a bad list')
    const [, id = ''] =
      /^Revert (\d+)\tplanned\t1 reverted, 0 kept, 0 impossible, 0 held now\ta bad list$/.exec(
        planned ?? '',
      ) ?? []
    assert.notEqual(id, '', planned)
    assert.equal(hint, `Nothing is changed yet. Start it: recordhub revert start ${id}`)
    assert.match(
      (await succeed(kit, 'revert', 'show', id, '--outcome', 'reverted'))[0] ?? '',
      /^\d+\tarchive\/person\tperson-1$/,
    )
    assert.deepEqual(await succeed(kit, 'revert', 'show', id, '--outcome', 'kept'), [])
    await succeed(kit, 'revert', 'start', id)
    const read = async () =>
      JSON.parse((await succeed(kit, 'revert', 'show', id, '--json'))[0] ?? '')
    await untilTrue('the revert has ended', async () => (await read()).state === 'succeeded')
    assert.deepEqual((await read()).counts, {
      reverted: 1,
      kept: 0,
      impossible: 0,
      held_now: 1,
      lifted: 0,
    })
    await operator.pullAll()
    const nameOf = async () =>
      (await operator.findRecords('')).find((one) => one.reference_number === 'person-1')?.full_name
    assert.equal(await nameOf(), 'Number 1')

    const failures = [
      [['start', id], 1, /neither started nor cancelled/],
      [['cancel', id], 1, /has ended/],
      [['start', '999'], 1, /No such revert/],
      [['plan', '--pull', '1'], 2, /--reason/],
      [['plan', '--reason', 'x'], 2, /the scope must be/],
      [['plan', '--pull', '1', '--revert', '1', '--reason', 'x'], 2, /the scope must be/],
      [['plan', '--pull', 'one', '--reason', 'x'], 2, /whole number/],
      [['show', id, '--outcome', 'lost'], 2, /--outcome must be/],
      [['start'], 2, /no command/],
      [['constructor'], 2, /no command/],
    ] as const
    for (const [args, code, message] of failures) {
      const result = await sandbox.run(['revert', ...args])
      assert.deepEqual([result.code, result.stdout], [code, []], args.join(' '))
      assert.match(result.stderr.join('\n'), message, args.join(' '))
    }

    const audit = join(sandbox.folder, 'audit.csv')
    writeFileSync(audit, await operator.request('GET', '/api/v1/audit/export'))
    const known = await runDoctor(kit, '--quick', '--audit', audit)
    assert.deepEqual(messagesOf(known.report), ['1 reverts, and the database has them all'])
    await hub.stop()
    await succeed(kit, 'restore', backup, '--force')
    const lost = await runDoctor(kit, '--quick', '--audit', audit)
    assert.equal(lost.code, 1)
    assert.match(
      messagesOf(lost.report).join(),
      new RegExp(`^Revert ${id}, started at .* is not in this database\\.$`),
    )
    const text = await sandbox.run(['doctor', '--quick', '--audit', audit])
    assert.ok(
      text.stdout.some((line) =>
        line.includes(`recordhub revert plan ${scope.join(' ')} --reason`),
      ),
    )
    assert.equal((await sandbox.run(['doctor', '--audit', `${audit}.none`])).code, 2)
  })

  test(`a revert that is started from the command line continues after its hub was killed, and is undone (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const env = { HUB_PULL_SCHEDULE: 'off' }
    let hub = await sandbox.startHub({ env })
    let operator = await connectOperator(hub)
    const module = generateModule('person', RECORDS)
    const platform = await startPlatform(t, { name: 'archive', modules: [module] })
    await operator.registerModules(platform)
    await operator.pullAll()
    module.records = module.records.map((text) => text.replace('Number ', 'Wrong '))
    const { pull } = await operator.pullAll()
    const read = async (id: string) =>
      JSON.parse(await operator.request('GET', `/api/v1/reverts/${id}`)).revert
    const plan = async (...scope: string[]) => {
      const planned = await succeed(kit, 'revert', 'plan', ...scope, '--reason', 'bad', '--json')
      return String(JSON.parse(planned[0] ?? '').id)
    }
    const countWrong = async () =>
      (await operator.findRecords('')).filter(({ full_name }) => full_name.startsWith('Wrong'))
        .length

    const id = await plan('--pull', String(pull.id))
    await succeed(kit, 'revert', 'start', id)
    await untilTrue('the revert has begun', async () => (await read(id)).state !== 'queued')
    await hub.stop('SIGKILL')
    const [stopped = ''] = await succeed(kit, 'revert', 'show', id, '--json')
    assert.equal(JSON.parse(stopped).counts.reverted, RECORDS)
    hub = await sandbox.startHub({ env })
    operator = operator.at(hub.address)
    await untilTrue('the revert has ended', async () => (await read(id)).state === 'succeeded')
    const { counts, progress } = await read(id)
    assert.deepEqual(
      [counts.reverted, counts.held_now, progress.records_done],
      Array(3).fill(RECORDS),
    )
    assert.equal(await countWrong(), 0)

    // Nothing runs while the command is given: the hub does it when it starts.
    await hub.stop()
    const undo = await plan('--revert', id)
    await succeed(kit, 'revert', 'start', undo)
    hub = await sandbox.startHub({ env })
    operator = operator.at(hub.address)
    await untilTrue('it is undone', async () => (await read(undo)).state === 'succeeded')
    assert.deepEqual(
      [(await read(id)).counts.held_now, (await read(id)).reverted_by],
      [0, Number(undo)],
    )
    assert.notEqual(await countWrong(), 0)
  })
}

async function succeed({ sandbox }: EngineSandbox, ...args: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await sandbox.run(args)
  assert.equal(code, 0, `${args.join(' ')}: ${stderr.join('\n')}`)
  return stdout
}

function messagesOf({ checks }: Awaited<ReturnType<typeof runDoctor>>['report']): string[] {
  return checks
    .filter(({ name }) => name === 'reverts')
    .flatMap(({ findings }) => findings.map(({ message }) => message))
}
