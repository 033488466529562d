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
import { TEXTS } from '../texts.tsx'
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
      title: TEXTS.revokeTitle(name),
      children: TEXTS.revokeMessage,
      action: TEXTS.revoke,
      async onConfirm() {
        await callHub(`/api/v1/tokens/${id}`, { method: 'DELETE' })
        await client.invalidateQueries(tokensQuery())
        notify(TEXTS.tokenRevoked(name))
      },
    })

  return (
    <SettingsSection
      title={TEXTS.apiTokens}
      description={isAdmin ? TEXTS.allTokensDescription : TEXTS.ownTokensDescription}
      action={
        <Button leftSection={<IconPlus size={18} />} onClick={creation.open}>
          {TEXTS.createToken}
        </Button>
      }
    >
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton />}
      {tokens?.length === 0 && (
        <EmptyState icon={<IconKey />} title={TEXTS.noTokensYet}>
          {TEXTS.noTokensYetHint}
        </EmptyState>
      )}
      {tokens && tokens.length > 0 && <TokensTable tokens={tokens} onRevoke={revoke} />}
      {isCreating && <CreateToken onClose={creation.close} />}
    </SettingsSection>
  )
}
