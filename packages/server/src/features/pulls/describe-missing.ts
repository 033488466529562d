/** The lines of activity about records that are gone. */
import type { NewActivity } from '../../domain/activity/activity.ts'
import type { MissingSet } from '../../domain/pull/missing.ts'
import type { PlatformSource } from '../../storage/port/platform-store.ts'
import type { PullTaskPlan } from '../../storage/port/pull-store.ts'

type Read = { plan: PullTaskPlan; source: PlatformSource; pull_id: number }

/** That so many are gone that an operator is asked. */
export function describeHeld(
  { plan, source, pull_id }: Read,
  { missing, records }: MissingSet,
  fusePercent: number,
): NewActivity {
  return {
    level: 'warning',
    kind: 'missing.held',
    message: `${missing} of ${records} records of ${plan.module_name} of ${source.display_title} did not come in a complete read, more than ${fusePercent} %. None of them was marked as missing: look whether the platform still has them, then approve or dismiss it.`,
    platform: source,
    details: { record_type: plan.record_type, missing, records, pull_id },
  }
}

/** That a question needs no answer any more. */
export function describeSettled(
  { plan, source, pull_id }: Read,
  how: 'marked' | 'settled',
  missing: number,
): NewActivity {
  const name = `${plan.module_name} of ${source.display_title}`
  const settled =
    missing === 0
      ? `The records of ${name} that had not come are all there again: nothing is left to decide.`
      : `Of the records of ${name} that had not come, only ${missing} are still gone: they were marked as missing, and nothing is left to decide.`
  return {
    level: 'info',
    kind: `missing.${how}`,
    message:
      how === 'marked'
        ? `As approved, ${missing} records of ${name} were marked as missing.`
        : settled,
    platform: source,
    details: { record_type: plan.record_type, missing, pull_id },
  }
}
