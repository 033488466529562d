/** What is known of a module: whether the hub has all of its records, and what comparing their versions has shown. */
import { Text } from '@mantine/core'
import type { IncompleteReason, ModuleCompleteness } from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { Time } from '../../../components/time.tsx'
import { formatCount, formatDuration, formatNumber } from '../../../lib/format.ts'
import { HeldCount } from '../../reverts/holds.tsx'

type Props = { module: ModuleCompleteness }

const INCOMPLETE_REASONS: Readonly<Record<IncompleteReason, string>> = {
  no_success: 'The platform does not report success',
  no_total: 'The platform reports no total',
  total_differs: 'The platform’s total differs from the number of records received',
  rejected: 'Records were rejected',
  missing_undecided: 'Records missing from the pull await another pull or a review',
  held: 'A revert holds values that the platform still sends',
}

/** Whether the hub has all records of a module, and the reasons if not. */
export function ModuleCompletenessText({ module }: Props) {
  const { incomplete_reasons, verified_by, missing, accepted, only_here } = module
  const { last_error, last_warning } = module
  const differences = [
    accepted > 0 && formatCount(accepted, 'accepted exception'),
    missing > 0 && `${formatCount(missing, 'record')} marked as missing`,
    // Stored ones that the last full pull did not contain, and later pushes.
    only_here && `${formatCount(only_here, 'record')} not in the last full pull`,
  ].filter(Boolean)
  return (
    <Titled title="Completeness">
      <VerifiedAt module={module} />. {differences.length > 0 && `${differences.join(', ')}. `}
      {incomplete_reasons.length > 0 &&
        `${verified_by === 'digest' ? 'Its differences are explained' : 'The last pull could not verify it'}: ${incomplete_reasons.map((reason) => INCOMPLETE_REASONS[reason]).join('. ')}. `}
      <HeldCount module={module} />
      {last_error && `The last pull failed: ${last_error}`}
      {last_warning && `The last pull succeeded, with warnings: ${last_warning}`}
    </Titled>
  )
}

function Titled({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Text size="sm" component="div">
      <Text span fw={600} inherit>
        {title}:
      </Text>{' '}
      {children}
    </Text>
  )
}

/**
 * When a module was verified, whether the platform has confirmed since that it is unchanged, and how many pushes are newer.
 */
function VerifiedAt({ module }: Props) {
  const { verified_at, verified_by, confirmed_at, confirmed_by, pushed_since } = module
  if (verified_at === null) return 'Not read completely yet'
  // The confirmed response verified the module only if it gave no reason against it.
  const isConfirmed =
    confirmed_at !== null && confirmed_at > verified_at && module.incomplete_reasons.length === 0
  return (
    <>
      Verified <Time at={verified_at} />
      {verified_by === 'digest' && ' by digest'}
      {isConfirmed && (
        <>
          , unchanged since by {confirmed_by === 'etag' ? 'ETag' : 'Last-Modified'} at{' '}
          <Time at={confirmed_at} />
        </>
      )}
      {newerPushes(pushed_since)}
    </>
  )
}

/** `, and 3 newer pushes`: those since a module was verified. */
export function newerPushes(pushedSince: number | null): string {
  return pushedSince ? `, and ${formatCount(pushedSince, 'newer push', 'newer pushes')}` : ''
}

/** What comparing the versions of both sides has shown, and why the digest is not used. */
export function ModuleDigest({ module }: Props) {
  const lines = digestLines(module).filter(Boolean)
  if (lines.length === 0) return null
  return (
    <Titled title="Digest">
      {lines.map((line, index) => (
        // The lines of a module have no other identity than their place.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is never reordered.
        <span key={index}>{line} </span>
      ))}
    </Titled>
  )
}

/** A faster digest delays no pull that anybody would notice. */
const SLOW_MS = 1000

function digestLines(module: ModuleCompleteness): ReactNode[] {
  const { verified_at, verified_by, verified, digest, last_warning } = module
  if (digest === null) return []
  // The warnings of the last pull say what is wrong with the versions, once the platform has offered a digest.
  const isSaid = last_warning !== null && digest.digest_ms !== null
  const { withdrawn_at, withdrawn_records, withdrawn_reference, unversioned, not_stable } = digest
  return [
    verified_by === 'digest' && verified_at !== null && verified !== null && (
      <>
        Same versions, <Time at={verified_at} />: {formatNumber(verified.records)} of{' '}
        {formatCount(verified.of, 'record')}
        {verified.explained > 0 && `, ${formatNumber(verified.explained)} explained`}.
      </>
    ),
    withdrawn_at !== null && (
      <>
        The claim was withdrawn, <Time at={withdrawn_at} />:{' '}
        {formatCount(withdrawn_records ?? 0, 'record')} had changed under an equal version
        {withdrawn_reference !== null && `, such as ${withdrawn_reference}`}. The list is read as
        often as without a digest until a full read finds no such record.
      </>
    ),
    !isSaid &&
      unversioned &&
      `${formatCount(unversioned, 'record')} of the platform ${unversioned === 1 ? 'has' : 'have'} no version, so the digest is not used.`,
    !isSaid &&
      not_stable &&
      'The versions change without a change of content, so the digest is not used until the manifest changes.',
    !not_stable &&
      unversioned === 0 &&
      digest.digest_ms !== null &&
      digest.digest_ms >= SLOW_MS &&
      digest.next_at !== null && (
        <>
          The platform took {formatDuration(digest.digest_ms)} for the last comparison. The schedule
          asks again <Time at={digest.next_at} /> at the earliest, which is at most 5 % of the
          platform’s time.
        </>
      ),
  ]
}
