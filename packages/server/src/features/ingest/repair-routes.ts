import { RepairPreview, RepairPreviewRequest, RepairRequest, RepairStep } from '@recordhub/protocol'
import { route } from '../../http/route.ts'
import { applyRepair, previewRepair } from './repair-rejected-pushes.ts'
import type { ReplayDeps } from './replay-rejected-push.ts'

/** Changes all rejected pushes of a group in the same way, and replays them. */
export function repairRoutes(deps: ReplayDeps) {
  return [
    route('POST /api/v1/rejected-pushes/repair/preview', {
      summary: 'Test the same change on all rejected pushes of a group; writes nothing',
      body: RepairPreviewRequest,
      response: RepairPreview.properties,
      handle: ({ body, requester, id }) =>
        previewRepair(deps, body, { ...requester, request_id: id }),
    }),

    route('POST /api/v1/rejected-pushes/repair', {
      summary: 'Replay the rejected pushes of a preview with its changes, one step per request',
      body: RepairRequest,
      response: RepairStep.properties,
      handle: ({ body: { cursor = null, ...repair }, requester, id }) =>
        applyRepair(deps, { ...repair, cursor }, { ...requester, request_id: id }),
    }),
  ]
}
