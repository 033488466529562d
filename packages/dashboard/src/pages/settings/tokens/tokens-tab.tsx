import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ApiToken } from '@recordhub/protocol'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { mayActAs, session } from '../../../api/session.ts'
import { tokensQuery } from '../../../api/settings.ts'
import { confirm, tell } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { useStore } from '../../../lib/use-store.ts'
import { LinesSkeleton, SettingsSection } from '../settings-section.tsx'
import { CreateToken } from './create-token.tsx'
import { TokensTable } from './tokens-table.tsx'

/** Tokens by which programs call the hub. */
export function TokensTab() {
  const client = useQueryClient()
  const role = useStore(session).operator?.role
  const [isMaking, making] = useDisclosure(false)
  const found = useQuery(tokensQuery())
  const tokens = found.data?.tokens

  const revoke = ({ id, name }: ApiToken) =>
    confirm({
      title: `Revoke “${name}”?`,
      children: 'Programs that use it are refused from now on. This cannot be taken back.',
      action: 'Revoke',
      async onConfirm() {
        await callHub(`/api/v1/tokens/${id}`, { method: 'DELETE' })
        await client.invalidateQueries(tokensQuery())
        tell(`The token ${name} was revoked.`)
      },
    })

  return (
    <SettingsSection
      title="API tokens"
      description={
        mayActAs(role, 'admin')
          ? 'Programs call the hub with them: Authorization: Bearer rht_…. You see those of everybody.'
          : 'Programs call the hub with them: Authorization: Bearer rht_…. You see your own.'
      }
      action={
        <Button leftSection={<IconPlus size={18} />} onClick={making.open}>
          New token
        </Button>
      }
    >
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton />}
      {tokens?.length === 0 && (
        <EmptyState icon={<IconKey />} title="No tokens yet">
          Make one for each program that reads records or starts pulls, with the least role that it
          needs.
        </EmptyState>
      )}
      {tokens && tokens.length > 0 && <TokensTable tokens={tokens} onRevoke={revoke} />}
      {isMaking && <CreateToken onClose={making.close} />}
    </SettingsSection>
  )
}
