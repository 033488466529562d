import { Text } from '@mantine/core'
import type { ModuleCompleteness } from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { Time } from '../../../components/time.tsx'
import { formatCount, formatDuration, formatNumber } from '../../../lib/format.ts'

/** What comparing the versions of both sides has shown, and why the digest is not used. */
export function ModuleDigest({ module }: { module: ModuleCompleteness }) {
  const lines = linesOf(module)
  if (lines.length === 0) return null
  return (
    <Text size="sm" component="div">
      <Text span fw={600} inherit>
        Digest:
      </Text>{' '}
      {lines.map((line, index) => (
        // The lines of a module have no other identity than their place.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is never reordered.
        <span key={index}>{line} </span>
      ))}
    </Text>
  )
}

/** A faster digest delays no pull that anybody would notice. */
const SLOW_MS = 1000

function linesOf(module: ModuleCompleteness): ReactNode[] {
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
      unversioned !== null &&
      unversioned > 0 &&
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
  ].filter((line) => line !== null && line !== false)
}
