import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSeededRandom } from '../../helpers/random/seed.ts'
import { createDisk, type FileSystem, type Files, type InitialFile } from './disk-model.ts'
import type { DiskChange } from './disk-trace.ts'

const ROOT = 1n
const ROOT_FOLDER: InitialFile = { path: '', inode: ROOT, bytes: null }
const FILE_SYSTEMS: FileSystem[] = ['journaled', 'posix']
const random = createSeededRandom()

const create = (path: string, inode: bigint): DiskChange => ({
  ...{ kind: 'create', path, inode },
  isFolder: false,
})
const write = (inode: bigint, at: number, text: string): DiskChange => ({
  ...{ kind: 'write', inode, at },
  bytes: Buffer.from(text),
})
const sync = (inode: bigint): DiskChange[] => [
  { kind: 'sync begins', inode, thread: 1 },
  { kind: 'sync ends', inode, thread: 1 },
]

/** All contents of the disk that many power cuts leave, as texts. */
function cutOften(
  fileSystem: FileSystem,
  changes: DiskChange[],
  { initial = [ROOT_FOLDER], ...options }: { initial?: InitialFile[]; ignoresSync?: boolean } = {},
): Set<string> {
  const disk = createDisk(fileSystem, initial, options)
  for (const change of changes) disk.apply(change)
  return new Set(Array.from({ length: 300 }, () => format(disk.cutPower(random))))
}

function format(files: Files): string {
  return [...files].map(([path, bytes]) => `${path}=${bytes.toString()}`).join(' ')
}

describe('a power cut', () => {
  for (const fileSystem of FILE_SYSTEMS) {
    test(`keeps what was synced, and any of what was written later (${fileSystem})`, () => {
      const initial = [ROOT_FOLDER, { path: 'a', inode: 2n, bytes: Buffer.from('old') }]
      const changes = [write(2n, 0, 'new'), ...sync(2n), write(2n, 0, 'two')]
      const found = cutOften(fileSystem, changes, { initial })
      assert.deepEqual(found, new Set(['a=new', 'a=two']))
    })

    test(`keeps nothing of a sync that has not ended or that the disk ignores (${fileSystem})`, () => {
      const initial = [ROOT_FOLDER, { path: 'a', inode: 2n, bytes: Buffer.from('old') }]
      const begun = [write(2n, 0, 'new'), ...sync(2n).slice(0, 1)]
      assert.ok(cutOften(fileSystem, begun, { initial }).has('a=old'))
      const ignored = [write(2n, 0, 'new'), ...sync(2n)]
      assert.ok(cutOften(fileSystem, ignored, { initial, ignoresSync: true }).has('a=old'))
    })

    test(`keeps nothing of what was written during a sync (${fileSystem})`, () => {
      const initial = [ROOT_FOLDER, { path: 'a', inode: 2n, bytes: Buffer.from('old') }]
      const [begins, ends] = sync(2n)
      assert.ok(begins && ends)
      const changes = [write(2n, 0, 'one'), begins, write(2n, 0, 'two'), ends]
      assert.deepEqual(cutOften(fileSystem, changes, { initial }), new Set(['a=one', 'a=two']))
    })

    test(`undoes a truncation that was not synced, wholly and with all later changes (${fileSystem})`, () => {
      const initial = [ROOT_FOLDER, { path: 'a', inode: 2n, bytes: Buffer.from('old') }]
      const truncate: DiskChange = { kind: 'truncate', inode: 2n, size: 0 }
      assert.deepEqual(cutOften(fileSystem, [truncate], { initial }), new Set(['a=old', 'a=']))
      const changes = [truncate, write(2n, 0, 'newer')]
      const found = cutOften(fileSystem, changes, { initial })
      assert.ok(found.has('a=old') && found.has('a=') && found.has('a=newer'))
      for (const one of found) assert.ok(one === 'a=old' || !/^a=(?:old|new$)/.test(one), one)
    })

    test(`never splits a rename (${fileSystem})`, () => {
      const initial = [
        ROOT_FOLDER,
        { path: 'a', inode: 2n, bytes: Buffer.from('old') },
        { path: 'a.new', inode: 3n, bytes: Buffer.from('new') },
      ]
      const rename: DiskChange = { kind: 'rename', path: 'a.new', to: 'a' }
      const found = cutOften(fileSystem, [rename], { initial })
      assert.deepEqual(found, new Set(['a=old a.new=new', 'a=new']))
      assert.deepEqual(
        cutOften(fileSystem, [rename, ...sync(ROOT)], { initial }),
        new Set(['a=new']),
      )
    })

    test(`distinguishes a deleted file from a later one with its inode (${fileSystem})`, () => {
      const initial = [ROOT_FOLDER, { path: 'a', inode: 2n, bytes: Buffer.from('old') }]
      const changes: DiskChange[] = [
        { kind: 'delete', path: 'a' },
        create('b', 2n),
        write(2n, 0, 'new'),
        ...sync(2n),
      ]
      for (const found of cutOften(fileSystem, changes, { initial })) {
        assert.match(found, /^(a=old)? ?(b=new)?$/)
      }
    })
  }

  test('keeps a new file whose content was synced only if the file system is journaled', () => {
    const changes = [create('a', 2n), write(2n, 0, 'new'), ...sync(2n)]
    assert.deepEqual(cutOften('journaled', changes), new Set(['a=new']))
    assert.deepEqual(cutOften('posix', changes), new Set(['a=new', '']))
    assert.deepEqual(cutOften('posix', [...changes, ...sync(ROOT)]), new Set(['a=new']))
  })

  test('undoes the last changes of names, or any of them without a journal', () => {
    const changes = [create('a', 2n), create('b', 3n)]
    assert.deepEqual(cutOften('journaled', changes), new Set(['', 'a=', 'a= b=']))
    assert.deepEqual(cutOften('posix', changes), new Set(['', 'a=', 'b=', 'a= b=']))
  })

  test('writes sectors of 512 or 4096 bytes in any order, and each of them wholly', () => {
    const bytes = Buffer.alloc(8192, 'o')
    const initial = [ROOT_FOLDER, { path: 'a', inode: 2n, bytes }]
    const disk = createDisk('journaled', initial)
    disk.apply(write(2n, 0, 'n'.repeat(8192)))
    const starts = new Set<string>()
    for (let count = 0; count < 300; count += 1) {
      const after = disk.cutPower(random).get('a') ?? Buffer.alloc(0)
      assert.equal(after.length, 8192)
      for (let at = 0; at < 8192; at += 512) {
        assert.match(after.toString('latin1', at, at + 512), /^(?:o{512}|n{512})$/)
      }
      starts.add(`${after.toString('latin1', 0, 1)}${after.toString('latin1', 8191)}`)
    }
    assert.deepEqual([...starts].toSorted(), ['nn', 'no', 'on', 'oo'])
  })
})
