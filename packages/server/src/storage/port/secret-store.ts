import type { NewAuditEntry } from '../../domain/activity/activity.ts'

/** A text that only the hub's secret opens: a row of `secrets`, or one of the two of a second factor. */
export type SealedText = {
  of: 'secret' | 'totp secret' | 'recovery codes'
  /** Of the row that it stands in. */
  id: string
  /** What it is bound to; of a second factor its operator's id. */
  purpose: string
  sealed: string
}

type Resealing = 'resealed' | 'changed' | 'in_use'

export interface SecretStore {
  /**
   * The sealed key for the references of erased records. Where there is none yet, the offered one is kept
   * and answered; of several that are offered at once one stays. Waits for a change of the secret that is
   * under way.
   */
  ensureReferencesKey(offered: string): Promise<string>

  /** Everything that is sealed, in the order of its rows. What was destroyed is left out. */
  listSealed(): Promise<SealedText[]>

  /**
   * Puts other texts in the places of all that is sealed, ends every session and what else was signed with
   * the secret, and writes to the audit: all of it or nothing.
   * @param texts what `listSealed` answered, each with its new text.
   * @returns `in_use` where another process works on the database, `changed` where something sealed was
   *   changed, added or taken away meanwhile; nothing has happened then.
   */
  reseal(texts: { before: SealedText; sealed: string }[], audit: NewAuditEntry): Promise<Resealing>
}
