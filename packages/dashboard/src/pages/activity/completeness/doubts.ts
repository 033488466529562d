import type { Doubt, ModuleCompleteness } from '@recordhub/protocol'

const WORDS: Readonly<Record<Doubt, string>> = {
  no_total: 'The platform gives no total to compare with',
  total_differs: 'The platform’s total is another one than came',
  rejected: 'Records were rejected',
  stale: 'Some were pushed while it was read; the next read settles them',
  missing_unsettled: 'Records that the pull did not contain wait for another pull or a review',
}

export function wordsForDoubt(doubt: Doubt): string {
  return WORDS[doubt]
}

/** `proved`: the last whole read proved it; `doubted`: an earlier one did, or none; `unread`: none ended well yet. */
export type Standing = 'proved' | 'doubted' | 'unread'

export function standingOf({
  complete_at,
  last_read_at,
  doubts,
  trouble,
}: Pick<ModuleCompleteness, 'complete_at' | 'last_read_at' | 'doubts' | 'trouble'>): Standing {
  if (last_read_at === null) return 'unread'
  return complete_at !== null && doubts.length === 0 && trouble === null ? 'proved' : 'doubted'
}
