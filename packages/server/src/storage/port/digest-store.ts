import type { DisagreeingModule } from '../../domain/inbox/inbox.ts'
import type { BucketSum } from '../../domain/record/digest-sums.ts'
import type { ModuleRef } from './record-list-store.ts'

/** A present record of a bucket. `version` is null if it is unknown or does not count. */
export type BucketRecord = {
  record_id: number
  reference_number: string
  /** As `hashOfReference`. */
  reference_hash: number
  version: string | null
  /** The write sequence and the time of the last push, for `canBeMissing`. */
  pushed_seq: number
  pushed_at: string | null
  /** Whether a revert has taken its absence back, so that it is not marked as missing again. */
  is_held: boolean
}

/** The position after a record of `listBucketRecords`. */
export type BucketPosition = Pick<BucketRecord, 'reference_hash' | 'record_id'>

/**
 * What the hub remembers of a bucket that it has read and that is still different:
 * - `explained`: its elements give the platform's digest, and each is stored or known as rejected, accepted, erased, held
 *   or under review. It is equal as long as both sides differ by these counts and sums.
 * - `disagreement`: the platform's list and digest differ.
 */
export type RememberedBucket = {
  prefix: string
  state: 'explained' | 'disagreement'
  remote_count: number
  remote_sum: number
  local_count: number
  local_sum: number
  /** The number of elements that keep the bucket different, and of those that are not stored with their version. */
  explained: number
  not_stored: number
  /** Of these, the rejected elements, accepted exceptions included. */
  rejected: number
  /** A record that the list and the digest disagree about, and its listed version; null if unknown. */
  reference_number: string | null
  version: string | null
  /** When a pull has first found this, and when the last one did. RFC 3339 in UTC. */
  since: string
  at: string
}

/** What the hub knows about the versions and digests of a module. Times are RFC 3339 in UTC. */
export type ModuleDigest = {
  /** When both sides were last proved equal, by reading all bytes or by the digest; null if never or withdrawn. */
  verified_at: string | null
  verified_by: 'read' | 'digest' | null
  /** What the claim is about: the records with the same versions, all records, and the explained ones. */
  verified_records: number | null
  verified_of: number | null
  verified_explained: number | null
  /** The number of pushes of the module at that time; null for a claim that is not of a digest. */
  verified_pushes: number | null
  /** Why the claim was withdrawn: the changes under an equal version that a read found, the first one, and when. */
  withdrawn_at: string | null
  withdrawn_records: number | null
  withdrawn_reference: string | null
  /** The elements without a version in the last full read; null before the first one. */
  unversioned: number | null
  /** The response to a digest request was not a digest: when, and the manifest at that time. */
  unsupported_at: string | null
  unsupported_manifest_hash: string | null
  /** How often in a row more than half of the versions changed without a change of content. */
  unstable_reads: number
  /** The versions are not used until the manifest changes: when that was found, and the manifest at that time. */
  unstable_at: string | null
  unstable_manifest_hash: string | null
  /** When the last digest was requested, and how long the platform took for it and the buckets, in milliseconds. */
  asked_at: string | null
  digest_ms: number | null
  /** When the last digest was requested if it, or the buckets after it, could not be used; null if they could. */
  digest_failed_at: string | null
  /** When a read of the whole list last failed after the platform had begun to send it. */
  list_failed_at: string | null
}

/** The records of a module. Each transaction updates the totals together with the sums of the buckets. */
export type ModuleTotals = {
  /** The number of present records. */
  present: number
  /** The records that `readSums` counts, and the sum of all buckets modulo 2^48. */
  count: number
  sum: number
  /** Whether `listUnversioned` returns a bucket. */
  hasUnversioned: boolean
}

/** The versions of records, and their sums by bucket. A module without versions has no rows here and costs nothing. */
export interface DigestStore {
  /**
   * Returns the stored sums of a module, in the order of their prefixes. Empty buckets are left out. The transaction of
   * each write updates them, so the cost does not depend on the number of records. A record counts while it is present
   * and the bytes last pulled had a version; a push, a replay, a revert and a missing mark clear its version.
   * @param digits 1 to 3.
   */
  readSums(module: ModuleRef, digits: number): Promise<BucketSum[]>

  /**
   * Computes the sums of finer buckets from the records in the given ones, which an index covers. In the order of the
   * given prefixes, then of the finer ones. Empty buckets are left out.
   * @param prefixes of at most 5 digits; disjoint.
   * @param digits at most 6.
   */
  readFinerSums(
    module: ModuleRef,
    prefixes: readonly string[],
    digits: number,
  ): Promise<BucketSum[]>

  /**
   * Returns the buckets that contain present records without a version that counts, such as those pushed since the last
   * pull, with their number; in the order of their prefixes. The cost depends on the number of these records only.
   *
   * A record that no pull has read with a version and that was stored before the module had versions is in none of these
   * buckets. It is one of the present records of `readTotals`.
   */
  listUnversioned(module: ModuleRef, digits: number): Promise<{ prefix: string; count: number }[]>

  /** Returns the totals of a module as of one moment. The cost does not depend on the number of records that are not missing. */
  readTotals(module: ModuleRef): Promise<ModuleTotals>

  /** Returns the number of present records that were anonymised: they are in no bucket. The cost depends on their number. */
  countAnonymised(module: ModuleRef): Promise<number>

  /**
   * Returns the next `limit` present records of a bucket, with and without a version, in the order of `reference_hash`
   * and `record_id`. Every record that has had a version is contained, and every one stored since the module has versions.
   * @returns `next`: the position of the next step; null at the end.
   */
  listBucketRecords(
    module: ModuleRef,
    query: { prefix: string; after: BucketPosition | null; limit: number },
  ): Promise<{ records: BucketRecord[]; next: BucketPosition | null }>

  /** Returns the remembered buckets of a module, in the order of their prefixes. */
  listRemembered(module: ModuleRef): Promise<RememberedBucket[]>

  /**
   * Returns the registered modules of active platforms whose list and digest disagree, as two pulls in a row have found, in the
   * order of their ids; each with the first record that is named.
   */
  listDisagreements(): Promise<DisagreeingModule[]>

  /**
   * Saves buckets and deletes others, in one transaction. A bucket of the same prefix is replaced.
   * @param change.epoch the `digest_epoch` of the module before the read. If an explanation has ended or a record was erased
   *   since, no bucket is saved.
   * @returns whether the buckets were saved.
   */
  remember(
    module: ModuleRef,
    change: {
      save: readonly RememberedBucket[]
      delete: readonly string[] | 'all'
      epoch: number
    },
  ): Promise<boolean>

  /** Returns what is known of a module; the initial values if nothing was saved. */
  readDigest(module: ModuleRef): Promise<ModuleDigest>

  /**
   * Saves some members. The others stay as they are. A power failure may undo it, unless it withdraws a claim.
   * @param epoch as for `remember`: a record is named only if none was erased since. Left out for a change that names none.
   */
  saveDigest(module: ModuleRef, change: Partial<ModuleDigest>, epoch?: number): Promise<void>
}
