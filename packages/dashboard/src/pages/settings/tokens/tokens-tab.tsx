import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ApiToken } from '@recordhub/protocol'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { tokensQuery } from '../../../api/settings.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { LinesSkeleton, SettingsSection } from '../settings-section.tsx'
import { CreateToken } from './create-token.tsx'
import { TokensTable } from './tokens-table.tsx'

/** API tokens for programs. */
export function TokensTab() {
  const client = useQueryClient()
  const isAdmin = useHasRole('admin')
  const [isCreating, creation] = useDisclosure(false)
  const found = useQuery(tokensQuery())
  const tokens = found.data?.tokens

  const revoke = ({ id, name }: ApiToken) =>
    confirm({
      title: `Revoke “${name}”?`,
      children: 'Requests with this token are rejected from now on. This cannot be undone.',
      action: 'Revoke',
      async onConfirm() {
        await callHub(`/api/v1/tokens/${id}`, { method: 'DELETE' })
        await client.invalidateQueries(tokensQuery())
        notify(`Token ${name} revoked.`)
      },
    })

  return (
    <SettingsSection
      title="API tokens"
      description={
        isAdmin
          ? 'Programs authenticate with “Authorization: Bearer rht_…”. All tokens are listed.'
          : 'Programs authenticate with “Authorization: Bearer rht_…”. Your own tokens are listed.'
      }
      action={
        <Button leftSection={<IconPlus size={18} />} onClick={creation.open}>
          Create token
        </Button>
      }
    >
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton />}
      {tokens?.length === 0 && (
        <EmptyState icon={<IconKey />} title="No tokens yet">
          Create a token for each program that reads records or starts pulls, with the least
          privileged role that it needs.
        </EmptyState>
      )}
      {tokens && tokens.length > 0 && <TokensTable tokens={tokens} onRevoke={revoke} />}
      {isCreating && <CreateToken onClose={creation.close} />}
    </SettingsSection>
  )
}
