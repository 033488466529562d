import assert from 'node:assert/strict'
import { MAX_VIEWS } from '../../../src/storage/port/record-list-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, only } from '../../helpers/storage/fixtures.ts'

const { audit } = changeLog('view.created')

test('a view is listed for its owner, and for everyone if it is shared', async ({
  storage: { views },
}) => {
  const mine = { name: 'Mine', query: 'q=a', shared: false, owner: 'ann' }
  const created = await views.createView(mine, audit)
  assert.ok(typeof created === 'object')
  assert.deepEqual(await views.readView(created.id), created)
  await views.createView({ name: 'All', query: '', shared: true, owner: 'bob' }, audit)
  const namesOf = async (owner: string) => (await views.listViews(owner)).map((view) => view.name)
  assert.deepEqual(await namesOf('ann'), ['All', 'Mine'])
  assert.deepEqual(await namesOf('bob'), ['All'])
  await views.changeView(created.id, { shared: true }, audit)
  assert.deepEqual(await namesOf('bob'), ['All', 'Mine'])
})

test('a view name is unique per owner and can be used by another owner', async ({
  storage: { views },
}) => {
  const view = { name: 'Open', query: '', shared: false }
  const [one, other] = await Promise.all([
    views.createView({ ...view, owner: 'ann' }, audit),
    views.createView({ ...view, owner: 'ann' }, audit),
  ])
  const created = only(
    [one, other].filter((result) => result !== 'name_taken' && result !== 'too_many'),
  )
  assert.ok(await views.createView({ ...view, owner: 'bob' }, audit))
  const second = await views.createView({ ...view, name: 'Closed', owner: 'ann' }, audit)
  assert.ok(typeof second === 'object')
  assert.equal(await views.changeView(second.id, { name: 'Open' }, audit), 'name_taken')
  const same = await views.changeView(created.id, { name: 'Open', query: 'q=x' }, audit)
  assert.ok(same !== null && same !== 'name_taken')
  assert.deepEqual([same.name, same.query], ['Open', 'q=x'])
})

test('only one of several concurrent renames to a name succeeds', async ({
  storage: { views },
}) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const created = await Promise.all(
    names.map((name) => views.createView({ name, query: '', shared: false, owner: 'ann' }, audit)),
  )
  const renamed = await Promise.all(
    created.map((view) => views.changeView(Object(view).id, { name: 'same' }, audit)),
  )
  assert.equal(renamed.filter((result) => result === 'name_taken').length, names.length - 1)
})

test('every change of an existing view is recorded in the audit log', async (kit) => {
  const { storage } = kit
  const { views } = storage
  const owner = 'ann'
  const view = await views.createView({ name: 'x', query: '', shared: false, owner }, audit)
  assert.ok(typeof view === 'object')
  await views.changeView(view.id, { name: 'y' }, audit)
  assert.equal(await views.deleteView(view.id, audit), true)
  assert.equal(await views.deleteView(view.id, audit), false)
  assert.equal(await views.changeView(view.id, { name: 'z' }, audit), null)
  assert.equal(await views.readView(view.id), null)
  assert.equal(await kit.countRows('audit'), 3)
})

test('an owner has at most 200 views', async (kit) => {
  const { views } = kit.storage
  const create = (name: string, owner = 'ann') =>
    views.createView({ name, query: '', shared: false, owner }, audit)
  const first = await create('1')
  for (let n = 2; n <= MAX_VIEWS; n += 1) await create(String(n))
  const before = await kit.countRows('audit')
  assert.equal(await create('one more'), 'too_many')
  assert.equal(await kit.countRows('audit'), before)
  assert.ok(typeof (await create('one more', 'bob')) === 'object')
  await views.deleteView(Object(first).id, audit)
  assert.ok(typeof (await create('one more')) === 'object')
})
