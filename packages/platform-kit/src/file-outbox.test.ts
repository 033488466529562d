import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { rounds } from '../../server/test/helpers/time/tier.ts'
import { createFileOutbox } from './file-outbox.ts'
import type { Outbox } from './outbox.ts'
import type { Push } from './push.ts'

const push = (id: string, body = '{}'): Push => ({
  id,
  method: 'POST',
  recordKey: id,
  occurredAt: '2026-11-21T07:30:00.000Z',
  body,
})

function open(t: TestContext, path = join(makeFolder(t), 'below', 'outbox')) {
  const box = createFileOutbox(path)
  t.after(() => box.close().catch(() => undefined))
  return { box, path }
}

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-outbox-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Rejects if the child exits without sending a message. */
async function messageOf(child: ChildProcess) {
  const disconnected = new AbortController()
  child.once('disconnect', () => disconnected.abort())
  const [message] = await once(child, 'message', { signal: disconnected.signal })
  return message
}

async function idsIn(box: Outbox): Promise<string[]> {
  return (await box.load()).queued.map(({ id }) => id)
}

test('a full outbox rejects pushes until the hub has processed others', async (t) => {
  const box = createFileOutbox(join(makeFolder(t), 'outbox'), { maxBytes: 900 })
  t.after(() => box.close())
  await box.load()
  const body = JSON.stringify({ text: 'x'.repeat(200) })
  const [first, second, third] = await Promise.allSettled(
    ['1', '2', '3'].map((id) => box.enqueue(push(id, body))),
  )
  assert.deepEqual([first?.status, second?.status], ['fulfilled', 'fulfilled'])
  assert.ok(third?.status === 'rejected')
  assert.match(String(third.reason), /outbox cannot be used\. It is full/)
  await box.ack('1')
  await box.enqueue(push('3', body))
})

test('after a restart, the outbox contains the queued pushes in order, without acknowledged ones', async (t) => {
  const { box, path } = open(t)
  assert.deepEqual(await box.load(), { queued: [], newest: null })
  const body = JSON.stringify({ text: 'a\nb\u2028😀' })
  await Promise.all(['1', '2', '3', '4'].map((id) => box.enqueue(push(id, body))))
  await Promise.all([box.ack('2'), box.ack('unknown')])
  await box.ack('4')
  await box.close()
  const again = open(t, path).box
  const { queued, newest } = await again.load()
  assert.deepEqual(queued, [push('1', body), push('3', body)])
  assert.equal(newest, push('4').occurredAt)
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('the newest time is known even if the outbox is empty', async (t) => {
  const { box, path } = open(t)
  await box.load()
  await box.enqueue(push('1'))
  await box.ack('1')
  await box.close()
  for (let times = 0; times < 2; times += 1) {
    const again = open(t, path).box
    assert.deepEqual(await again.load(), { queued: [], newest: push('1').occurredAt })
    await again.close()
  }
})

test('a line cut off by a crash is ignored, wherever it was cut', async (t) => {
  const { box, path } = open(t)
  await box.load()
  await box.enqueue(push('1'))
  await box.enqueue(push('2', '"ü😀"'))
  await box.close()
  const whole = readFileSync(path)
  const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1
  for (let end = lastLine; end < whole.length; end += rounds(7, 1)) {
    writeFileSync(path, whole.subarray(0, end))
    const torn = open(t, path).box
    assert.deepEqual(await idsIn(torn), ['1'], `cut at ${end}`)
    await torn.enqueue(push('3'))
    await torn.close()
    const again = open(t, path).box
    assert.deepEqual(await idsIn(again), ['1', '3'])
    await again.close()
  }
  writeFileSync(path, Buffer.concat([whole, Buffer.alloc(5000)]))
  const filled = open(t, path).box
  assert.deepEqual(await idsIn(filled), ['1', '2'], 'a file system may leave zeros behind')
  await filled.close()
})

test('a damaged file is reported and left unchanged', async (t) => {
  const { box, path } = open(t)
  await box.load()
  await box.enqueue(push('1'))
  await box.close()
  appendFileSync(path, 'garbage\n')
  const before = readFileSync(path, 'utf8')
  await assert.rejects(
    open(t, path).box.load(),
    /outbox .*outbox cannot be used\. Line 3 is damaged/,
  )
  assert.equal(readFileSync(path, 'utf8'), before)
  writeFileSync(path, '{"outbox":2}\n')
  await assert.rejects(open(t, path).box.load(), /Line 1 is damaged/)
})

test('once every push is delivered, the file contains no body', async (t) => {
  const { box, path } = open(t)
  await box.load()
  await Promise.all([box.enqueue(push('1', '"first person"')), box.enqueue(push('2', '"second"'))])
  await box.ack('1')
  assert.match(readFileSync(path, 'utf8'), /person/)
  await box.ack('2')
  await box.close()
  assert.doesNotMatch(readFileSync(path, 'utf8'), /person|second/)
})

test('the file is compacted once most of its pushes are acknowledged', async (t) => {
  const { box, path } = open(t)
  await box.load()
  await box.enqueue(push('first'))
  const body = JSON.stringify('x'.repeat(10_000))
  for (let number = 0; number < 300; number += 1) {
    await box.enqueue(push(String(number), body))
    await box.ack(String(number))
    assert.ok(statSync(path).size < 1_100_000)
  }
  await box.enqueue(push('last'))
  await box.close()
  assert.deepEqual(await idsIn(open(t, path).box), ['first', 'last'])
})

test('a second process is rejected until the first one is killed', async (t) => {
  const { path, box } = open(t)
  const child = fork(new URL('./file-outbox.child.ts', import.meta.url), [path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  await messageOf(child)
  const message = new RegExp(
    `cannot be used. It is in use by process ${child.pid} on ${hostname()}`,
  )
  await assert.rejects(box.load(), message)
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  assert.deepEqual(await idsIn(box), ['of the child'])
})

test('a file cannot be opened twice in one process', async (t) => {
  const { path, box } = open(t)
  await box.load()
  await assert.rejects(open(t, path).box.load(), /in use by process/)
  // Simulates a pause of one second between reading the two clocks.
  const uptime = process.uptime()
  const late = t.mock.method(process, 'uptime', () => uptime + 1)
  await assert.rejects(open(t, path).box.load(), /in use by process/)
  late.mock.restore()
  await box.close()
  assert.equal(existsSync(`${path}.lock`), false)
  assert.deepEqual(await idsIn(open(t, path).box), [])
})

test('a lock of another machine is acquired once its heartbeat has stopped', async (t) => {
  const { path, box } = open(t, join(makeFolder(t), 'outbox'))
  const left = JSON.stringify({ host: 'elsewhere', pid: 1, started: 1, token: 'x' })
  writeFileSync(`${path}.lock`, left)
  // The clock of the other machine may be wrong.
  utimesSync(`${path}.lock`, new Date('2099-01-01'), new Date('2099-01-01'))
  assert.deepEqual(await idsIn(box), [])
})

test('no push is enqueued after another process has acquired the lock', async (t) => {
  const { path, box } = open(t)
  await box.load()
  writeFileSync(`${path}.lock`, 'of another process')
  await assert.rejects(box.enqueue(push('1')), /another process has acquired its lock/)
  await box.close()
  assert.equal(readFileSync(`${path}.lock`, 'utf8'), 'of another process')
})

test('an outbox that cannot be written is reported with its path', async (t) => {
  const folder = makeFolder(t)
  writeFileSync(join(folder, 'file'), '')
  const path = join(folder, 'file', 'outbox')
  await assert.rejects(open(t, path).box.load(), (error: Error) => error.message.includes(path))
  const { box } = open(t)
  await assert.rejects(box.enqueue(push('1')), /cannot be used/)
})

test('a full disk rejects pushes that do not fit, and none of them appears later', async (t) => {
  const { path, box } = open(t)
  // A file size limit simulates a full disk.
  const child = fork(new URL('./file-outbox.child.ts', import.meta.url), [path, 'fill'], {
    execPath: 'bash',
    execArgv: ['-c', 'ulimit -S -f 100; exec "$0" "$@"', process.execPath],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const { enqueued, rejected }: { enqueued: string[]; rejected: number } = await messageOf(child)
  await ended
  assert.ok(
    enqueued.length > 5 && rejected > 5,
    `${enqueued.length} were enqueued and ${rejected} rejected`,
  )
  assert.deepEqual([enqueued.includes('alone'), enqueued.includes('fits')], [true, false])
  assert.deepEqual(await idsIn(box), enqueued)
})
