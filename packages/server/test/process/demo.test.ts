import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ActivityEntry, Pull } from '@recordhub/protocol'
import { signIn } from '../helpers/process/operator.ts'
import { test } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'

test('the demo has a past with faults, pulls and pushes records, and deletes its data when it is stopped', async (_, {
  spawn,
  folder,
}) => {
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const demo = spawn(['demo'], { env: { PORT: '0', TMPDIR: temporary } })
  await demo.untilPrinted(/^Ctrl-C /)
  const printed = (label: string) => {
    const line = demo.stdout.find((one) => one.trim().startsWith(label)) ?? ''
    return line.trim().slice(label.length).trim()
  }
  const { origin } = new URL(printed('Open'))
  const operator = await signIn(origin, {
    email: printed('E-mail'),
    password: printed('Password'),
  })
  const page = await operator.call('GET', new URL(printed('Open')).pathname)
  assert.match(page.text, /<meta name="csrf-token" content="[^"]+">/)

  const pulls = JSON.parse(await operator.request('GET', '/api/v1/pulls'))
  const names: (string | null)[] = pulls.pulls.map((pull: Pull) => pull.started_by)
  assert.ok(names.includes('Demo Operator'), String(names))
  const ages = pulls.pulls.map((pull: Pull) => Date.now() - Date.parse(pull.requested_at))
  assert.ok(Math.max(...ages) > 20 * 3_600_000, 'the first pull is almost a day old')
  const { inbox } = await operator.snapshot()
  const kinds = new Set(inbox.items.map(({ kind }) => kind))
  for (const kind of ['pulls_failing', 'missing_review', 'rejected'] as const) {
    assert.ok(kinds.has(kind), [...kinds].join())
  }

  const platforms = await operator.platforms()
  assert.equal(platforms.length, 3)
  assert.ok(platforms.every((platform) => platform.modules_registered > 0))
  await until(async () => {
    const { stats, pull } = await operator.snapshot()
    return stats.records > 2000 && !pull.running ? stats : null
  }, 'more than 2,000 records are stored and no pull is running')
  await until(async () => {
    const path = '/api/v1/activity?limit=100'
    const { activity }: { activity: ActivityEntry[] } = JSON.parse(
      await operator.request('GET', path),
    )
    const pushed = activity.filter(({ kind }) => kind.startsWith('push.'))
    const names = new Set(pushed.map((line) => line.platform_name))
    return names.size === 3 && pushed.length >= 6 ? true : null
  }, 'all platforms have pushed records')
  assert.equal(readdirSync(temporary).length, 1)

  assert.deepEqual(await demo.stop('SIGINT'), { code: 0, signal: null })
  assert.deepEqual(demo.stderr, [])
  assert.deepEqual(readdirSync(temporary), [])
  for (const address of [origin, ...platforms.map((platform) => platform.source_base_url)]) {
    await until(
      () =>
        fetch(address).then(
          () => null,
          () => true,
        ),
      `no response from ${address}`,
    )
  }
})
