import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrations as postgresMigrations } from '../../../src/storage/postgres/migrations/index.ts'
import { migrations as sqliteMigrations } from '../../../src/storage/sqlite/migrations/index.ts'

test('both engines have the same migrations, in the order of their names', () => {
  const names = Object.keys(sqliteMigrations)
  assert.deepEqual(names, Object.keys(postgresMigrations))
  assert.deepEqual(names, names.toSorted())
})
