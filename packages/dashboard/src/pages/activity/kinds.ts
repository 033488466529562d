/** What lines of the log are about: the first word of their kind, as the hub filters by it, and as people say it. */
const KINDS: Readonly<Record<string, string>> = {
  push: 'Pushes',
  replay: 'Replays',
  rejected_push: 'Dismissed pushes',
  pull: 'Pulls',
  pull_task: 'Modules pulled',
  missing: 'Missing records',
  record: 'Erased records',
  tombstone: 'Lifted erasures',
  platform: 'Platforms',
  module: 'Modules',
  manifest: 'Manifests',
  schedule: 'Schedule',
  alert: 'Alerts',
}

/** The choices of a filter by kind, with the one that a link brought along. */
export function kindChoices(chosen: string | undefined): { value: string; label: string }[] {
  const known = Object.entries(KINDS).map(([value, label]) => ({ value, label }))
  const isOther = chosen !== undefined && chosen !== '' && !(chosen in KINDS)
  return isOther ? [...known, { value: chosen, label: chosen }] : known
}
