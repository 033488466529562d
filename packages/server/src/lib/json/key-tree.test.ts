import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeyNode, KeyTree } from './key-tree.ts'

test('the keys of one text are remembered up to a limit, and forgotten before the next text', () => {
  const tree = new KeyTree()
  const tokens = Array.from({ length: 16 }, (_, number) => Buffer.from(`"k${number}":`))
  /** Adds further keys after each known sequence, as a text of very many different objects does. */
  const addAll = (parents: KeyNode[]): KeyNode[] =>
    parents.flatMap((parent) =>
      tokens.flatMap((token) => {
        tree.add(parent, token, 0)
        return parent.find(token, 0) ?? []
      }),
    )
  let level = [tree.root()]
  let remembered = 0
  for (let depth = 0; depth < 4; depth++) {
    level = addAll(level)
    remembered += level.length
  }
  assert.equal(remembered, 4096)
  const [token] = tokens
  assert.ok(token)
  assert.equal(tree.root().find(token, 0), null)
})
