/** Manifests and drift in tests of the storage. */
import assert from 'node:assert/strict'
import type { DriftResponse, Module } from '@recordhub/protocol'
import {
  changeLog,
  type StorageContext,
  type TestPlatform,
  testManifest,
  testModule,
} from './fixtures.ts'

/** A module with these fields. Fields of {@link testModule} are unchanged; others are strings. */
export function moduleWithKeys(record_type: string, keys: string[]): Module {
  const usual = testModule(record_type)
  const fields = keys.map((key) => ({ key, label: key, type: 'string', required: false }))
  return { ...usual, fields: fields.map((one) => usual.fields.find(isOf(one.key)) ?? one) }
}

function isOf(key: string) {
  return (field: { key: string }) => field.key === key
}

export function saveManifest(
  { storage, clock }: StorageContext,
  { platform_id }: TestPlatform,
  ...modules: Module[]
) {
  const fetched = { platform_id, manifest: testManifest(...modules), at: clock.text }
  return storage.manifests.saveManifest(fetched, () => changeLog('manifest.changed'))
}

export async function readDrift(
  { storage }: StorageContext,
  { platform_id }: TestPlatform,
): Promise<Omit<DriftResponse, 'success'>> {
  const drift = await storage.manifests.readDrift(platform_id)
  assert.ok(drift)
  return drift
}
