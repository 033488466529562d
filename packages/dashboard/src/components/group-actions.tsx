/** What can be done with a group of rejected pushes or records, wherever it is shown. */
import { Button, type ButtonProps } from '@mantine/core'
import type { RejectedPushGroup } from '@recordhub/protocol'
import { callHub } from '../api/call-hub.ts'
import { useRefreshRejected } from '../api/rejected-pushes.ts'
import { formatNumber } from '../lib/format.ts'
import { useHasRole } from '../lib/use-has-role.ts'
import { confirm } from './confirm.tsx'
import { LinkButton } from './link-button.tsx'

/** Accepts the records of a group as exceptions; nothing if they cannot be accepted, or are already. */
export function AcceptButton({
  group: { platform_name: platform, cause, digest, accepted_at, rejected_pushes },
  label = `Accept ${formatNumber(rejected_pushes)}`,
  ...props
}: {
  group: RejectedPushGroup
  label?: string
} & ButtonProps) {
  const refresh = useRefreshRejected()
  const canOperate = useHasRole('operator')
  if (!canOperate || digest === null || accepted_at !== null) return null
  const accept = async () => {
    const body = { platform, cause, digest }
    await callHub('/api/v1/rejected-pushes/groups/accept', { method: 'POST', body })
    await refresh()
  }
  return (
    <Button
      size="xs"
      variant="default"
      {...props}
      onClick={() =>
        confirm({
          title: 'Accept these records as exceptions?',
          children:
            'They are known at the source and stay rejected, but pulls are green again, and the module is complete with accepted exceptions. The group opens again when a pull rejects more, fewer or other records for this reason.',
          action: 'Accept as exceptions',
          color: 'harbour',
          onConfirm: accept,
        })
      }
    >
      {label}
    </Button>
  )
}

/** Leads to the item of the inbox in which the group is repaired. */
export function RepairLink({
  group: { platform_name, cause, rejected_pushes },
  label = `Repair ${formatNumber(rejected_pushes)}`,
}: {
  group: Pick<RejectedPushGroup, 'platform_name' | 'cause' | 'rejected_pushes'>
  label?: string
}) {
  return (
    <LinkButton
      size="xs"
      variant="default"
      to="/dashboard/inbox"
      search={{ item: `rejected ${platform_name} ${cause}` }}
    >
      {label}
    </LinkButton>
  )
}
