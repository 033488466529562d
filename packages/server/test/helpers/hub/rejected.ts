/** Pushes to a module that is not registered, and their replays by filter. */
import assert from 'node:assert/strict'
import { Platform, ReplayStepResponse, type StoredRecord } from '@recordhub/protocol'
import Type from 'typebox'
import { simulatedModule } from '../platform/platform.ts'
import type { TestHub } from './hub.ts'
import { newRecord, type TestPlatform } from './platform-requests.ts'
import { expectBody } from './response.ts'

export const NONE = { created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0 }

/** Adds a platform whose module `late` is not registered, and pushes records to that module. */
export async function pushToUnregistered(hub: TestHub, references: string[]) {
  const modules = [simulatedModule('cases'), simulatedModule('late')]
  const platform = await hub.registerPushing({ modules })
  await setRegistered(hub, platform, ['cases'])
  for (const reference of references) {
    const body = newRecord(reference, { record_type: 'late' })
    assert.equal((await hub.push(platform.hub_api_key, body)).status, 422)
  }
  const name = platform.platform_name
  return { platform, name, rejected: await hub.rejected(name) }
}

export function registerModule(hub: TestHub, platform: TestPlatform): Promise<void> {
  return setRegistered(hub, platform, ['cases', 'late'])
}

async function setRegistered(hub: TestHub, { id }: TestPlatform, types: string[]): Promise<void> {
  const response = await hub.callAs('operator', 'PATCH', `/api/v1/platforms/${id}`, {
    record_types: types,
  })
  assert.equal(response.status, 200)
}

export async function replayableOf(hub: TestHub, id: number): Promise<number | undefined> {
  const response = await hub.get(`/api/v1/platforms/${id}`)
  const { platform } = expectBody(response, 200, Type.Object({ platform: Platform }))
  return platform.modules.find((module) => module.record_type === 'late')?.replayable
}

/** Runs all steps of a replay by filter. */
export async function replaySteps(hub: TestHub, request: object): Promise<ReplayStepResponse[]> {
  const steps: ReplayStepResponse[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const response = await hub.sendRejectedPushRequest('/replay', {
      ...request,
      ...(cursor ? { cursor } : {}),
    })
    const step = expectBody(response, 200, ReplayStepResponse)
    steps.push(step)
    cursor = step.next_cursor
  }
  return steps
}

export function referenceOf(record: StoredRecord): string {
  return record.reference_number
}
