import type { Migration } from 'kysely/migration'
import { up as foundation } from './0001-foundation.ts'
import { up as conditionalRequests } from './0002-conditional-requests.ts'
import { up as goneRecords } from './0003-gone-records.ts'
import { up as pullLifecycle } from './0004-pull-lifecycle.ts'
import { up as recordSearch } from './0005-record-search.ts'
import { up as historyAndViews } from './0007-history-and-views.ts'
import { up as replays } from './0009-replays.ts'
import { up as drift } from './0010-drift.ts'
import { up as erasure } from './0011-erasure.ts'
import { up as alertsAndRetention } from './0012-alerts-and-retention.ts'
import { up as rejectedOfAPull } from './0014-rejected-of-a-pull.ts'
import { up as failingModules } from './0015-failing-modules.ts'
import { up as pullsOfAPlatform } from './0017-pulls-of-a-platform.ts'
import { up as activityTrouble } from './0019-activity-trouble.ts'
import { up as signIn } from './0020-sign-in.ts'
import { up as guesses } from './0021-guesses.ts'
import { up as secretRotation } from './0022-secret-rotation.ts'
import { up as strongSessions } from './0023-strong-sessions.ts'
import { up as noContentHash } from './0024-no-content-hash.ts'
import { up as endedPauses } from './0025-ended-pauses.ts'
import { up as rejectedPerPull } from './0026-rejected-per-pull.ts'
import { up as pushedAt } from './0027-pushed-at.ts'
import { up as missingReviewRecords } from './0028-missing-review-records.ts'
import { up as pushErrors } from './0029-push-errors.ts'
import { up as missingMembers } from './0030-missing-members.ts'

/** In the order they are applied. Names and numbers are the same on every engine. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': { up: foundation },
  '0002-conditional-requests': { up: conditionalRequests },
  '0003-gone-records': { up: goneRecords },
  '0004-pull-lifecycle': { up: pullLifecycle },
  '0005-record-search': { up: recordSearch },
  '0007-history-and-views': { up: historyAndViews },
  '0009-replays': { up: replays },
  '0010-drift': { up: drift },
  '0011-erasure': { up: erasure },
  '0012-alerts-and-retention': { up: alertsAndRetention },
  '0014-rejected-of-a-pull': { up: rejectedOfAPull },
  '0015-failing-modules': { up: failingModules },
  '0017-pulls-of-a-platform': { up: pullsOfAPlatform },
  '0019-activity-trouble': { up: activityTrouble },
  '0020-sign-in': { up: signIn },
  '0021-guesses': { up: guesses },
  '0022-secret-rotation': { up: secretRotation },
  '0023-strong-sessions': { up: strongSessions },
  '0024-no-content-hash': { up: noContentHash },
  '0025-ended-pauses': { up: endedPauses },
  '0026-rejected-per-pull': { up: rejectedPerPull },
  '0027-pushed-at': { up: pushedAt },
  '0028-missing-review-records': { up: missingReviewRecords },
  '0029-push-errors': { up: pushErrors },
  '0030-missing-members': { up: missingMembers },
}
