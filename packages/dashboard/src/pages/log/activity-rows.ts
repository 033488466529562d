/** The lines of the log: repeats of an event are one line, and the reference or pull of an entry is a link. */
import type { ActivityEntry } from '@recordhub/protocol'

/** A line of a log: an entry, the entries that it sums up, or one of these. */
export type FoldedRow<Entry> = {
  id: string
  entry: Entry
  /** The entries of a line that sums up several, newest first; only itself for the others. */
  entries: Entry[]
  isChild: boolean
}

export type LogRow = FoldedRow<ActivityEntry>

/**
 * Entries with the same event that follow each other in the events of their platform become one line, at the place of the
 * newest one.
 * @param dayOf lines do not sum up several days.
 * @param opened the ids of the lines whose entries are shown.
 */
export function foldRepeats(
  entries: readonly ActivityEntry[],
  { dayOf, opened }: { dayOf: (at: string) => string; opened: ReadonlySet<string> },
): LogRow[] {
  const keyOf = (entry: ActivityEntry) => {
    const { before, after } = splitMessage(entry)
    return JSON.stringify([entry.level, entry.kind, entry.actor, before, after, dayOf(entry.at)])
  }
  return fold(entries, { keyOf, groupOf: (entry) => entry.platform_name, opened })
}

/** The same for any log: entries with equal keys that follow each other in their group become one line. */
export function fold<Entry extends { id: number }>(
  entries: readonly Entry[],
  {
    keyOf,
    groupOf,
    opened,
  }: {
    keyOf: (entry: Entry) => string
    groupOf: (entry: Entry) => string | null
    opened: ReadonlySet<string>
  },
): FoldedRow<Entry>[] {
  const folded: { key: string; entries: Entry[] }[] = []
  /** The line of the newest entries of each group. */
  const current = new Map<string | null, (typeof folded)[number]>()
  for (const entry of entries) {
    const key = keyOf(entry)
    const line = current.get(groupOf(entry))
    if (line?.key === key) line.entries.push(entry)
    else {
      const next = { key, entries: [entry] }
      folded.push(next)
      current.set(groupOf(entry), next)
    }
  }
  return folded.flatMap(({ entries: same }) => {
    const [entry] = same
    if (!entry) return []
    // The oldest one stays while newer ones are added.
    const id = `line ${same.at(-1)?.id}`
    const shown = same.length > 1 && opened.has(id) ? same : []
    const children = shown.map((one) => row(String(one.id), one, [one], true))
    return [row(same.length > 1 ? id : String(entry.id), entry, same, false), ...children]
  })
}

function row<Entry>(id: string, entry: Entry, entries: Entry[], isChild: boolean) {
  return { id, entry, entries, isChild }
}

/** The message around what distinguishes an entry from its repeats: its reference or its pull. */
export function splitMessage({ message, details, record_id }: ActivityEntry): {
  before: string
  link: { text: string; record: number | null; pull: number | null } | null
  after: string
} {
  const { reference_number, pull_id } = details
  const pull = typeof pull_id === 'number' ? pull_id : null
  const texts = [reference_number, pull === null ? null : `Pull ${pull}`]
  for (const text of texts) {
    const at = typeof text === 'string' && text !== '' ? message.indexOf(text) : -1
    if (typeof text !== 'string' || at === -1) continue
    const record = text === reference_number ? record_id : null
    const link = { text, record, pull: text === reference_number ? null : pull }
    return { before: message.slice(0, at), link, after: message.slice(at + text.length) }
  }
  return { before: message, link: null, after: '' }
}

/** What caused an entry without an actor; null if that is not known. */
export function causeOf({ kind }: Pick<ActivityEntry, 'kind'>): string | null {
  return CAUSES[kind.split('.', 1)[0] ?? ''] ?? null
}

const CAUSES: Readonly<Record<string, string>> = {
  ...{ push: 'platform', pull: 'schedule' },
  // They do not say who has started their pull.
  ...{ pull_task: 'pull', missing: 'pull', manifest: 'pull' },
}
