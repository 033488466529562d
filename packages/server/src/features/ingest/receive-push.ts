import type { PushAnswer } from '@recordhub/protocol'
import { type Drift, describeDrift, findDrift, refuseDrift } from '../../domain/record/drift.ts'
import {
  checkPush,
  faultsInWords,
  type PushInput,
  recordTypeOf,
} from '../../domain/record/record-input.ts'
import { type ErrorCode, formatMessage, HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Receiver } from '../../storage/port/platform-store.ts'
import type { WriteOutcome } from '../../storage/port/record-store.ts'
import type { PlatformAuthenticator } from './authenticate-platform.ts'
import type { Ingest } from './ingest.ts'
import type { RejectedPushSaver } from './save-rejected-push.ts'

type PushRequest = {
  method: 'POST' | 'PATCH'
  /** Parsed JSON with its numbers kept. */
  body: unknown
  key: string
  receiver: Receiver
  request_id: string
}

export type ReceivePush = (
  request: PushRequest,
) => Promise<{ status: 200 | 201; answer: PushAnswer }>

/**
 * Takes one push (specification 4.1): checks it, stores it and answers once it is durable. What is
 * refused for its content is kept with the reason.
 */
export function createReceivePush(options: {
  ingest: Pick<Ingest, 'push'>
  keeper: RejectedPushSaver
  receivers: Pick<PlatformAuthenticator, 'refresh'>
  clock: Clock
}): ReceivePush {
  const { ingest, keeper, receivers, clock } = options

  async function refuse(request: PushRequest, error: HubError): Promise<never> {
    // Nothing is kept for a key that another node has revoked meanwhile.
    if (!(await receivers.refresh(request.key))) throw new HubError('api_key_invalid')
    await keeper.keep({
      platform_id: request.receiver.platform_id,
      record_type: recordTypeOf(request.body),
      method: request.method,
      code: error.code,
      message: error.message,
      errors: error.errors ?? {},
      body: JSON.stringify(request.body) ?? 'null',
      pull_id: null,
      place: null,
      activity: {
        level: 'warning',
        kind: 'push.rejected',
        message: `Rejected push from ${request.receiver.display_title}: ${error.message}`,
        platform: request.receiver,
        details: { method: request.method, code: error.code, request_id: request.request_id },
      },
    })
    throw error
  }

  async function findModule(request: PushRequest, recordType: string) {
    const findIn = (receiver: Receiver | null) =>
      receiver?.modules.find((module) => module.record_type === recordType)
    return findIn(request.receiver) ?? findIn(await receivers.refresh(request.key))
  }

  return async (request) => {
    const checked = checkPush(request.method, request.body, clock.now())
    if (checked.outcome === 'invalid') {
      const reason = faultsInWords(checked.errors)
      return refuse(request, new HubError('invalid_record', { reason }, { errors: checked.errors }))
    }
    const { input } = checked
    const module = await findModule(request, input.record_type)
    if (!module) return refuse(request, moduleNotRegistered(input))
    const isWhole = request.method === 'POST'
    const drift = findDrift(input.data, module.manifest_keys, { isWhole })
    const refused = refuseDrift(drift, module.drift_policy)
    if (refused) {
      const { reason, errors } = refused
      return refuse(request, new HubError('drift_rejected', { reason }, { errors }))
    }
    const { full_name, data, occurred_at, record_type, reference_number } = input
    const written = await ingest.push({
      platform_id: request.receiver.platform_id,
      hub_key_id: request.receiver.hub_key_id,
      record_type,
      reference_number,
      request_id: request.request_id,
      content: { source: request.method, full_name, data, occurred_at },
      ...(drift ? { drift } : {}),
    })
    if (written.outcome !== 'rejected') {
      return answerPush(request, written, [...input.warnings, ...warningsOf(drift)])
    }
    // Not even that it came is kept.
    if (written.code === 'record_erased') throw new HubError('record_erased')
    await receivers.refresh(request.key)
    if (written.code === 'api_key_invalid') throw new HubError('api_key_invalid')
    return refuse(
      request,
      written.code === 'module_not_registered'
        ? moduleNotRegistered(input)
        : new HubError(written.code satisfies ErrorCode),
    )
  }
}

function moduleNotRegistered({ record_type }: PushInput): HubError {
  const errors = { record_type: [formatMessage('module_not_registered', { record_type })] }
  return new HubError('module_not_registered', { record_type }, { errors })
}

function warningsOf(drift: Drift | null): string[] {
  return drift === null ? [] : describeDrift(drift).map((fault) => `data ${fault}`)
}

const ANSWERS = {
  created: 'New record received from',
  updated: 'Record updated from',
  unchanged: 'Record received again, unchanged, from',
  stale: 'A newer version of this record stays; this older one was received from',
} as const

function answerPush(
  request: PushRequest,
  written: Exclude<WriteOutcome, { outcome: 'rejected' }>,
  warnings: string[],
): { status: 200 | 201; answer: PushAnswer } {
  const { receiver, method } = request
  return {
    status: written.outcome === 'created' ? 201 : 200,
    answer: {
      success: true,
      message: `${ANSWERS[written.outcome]} ${receiver.display_title}.`,
      method,
      platform_name: receiver.platform_name,
      module_name: written.module_name,
      record_id: written.record_id,
      outcome: written.outcome,
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  }
}
