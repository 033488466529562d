import { ActionIcon, Button, Text, Tooltip } from '@mantine/core'
import type { Passkey } from '@recordhub/protocol'
import { IconFingerprint, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { PASSKEYS_PATH, passkeysQuery } from '../../../api/account.ts'
import { callHub } from '../../../api/call-hub.ts'
import { canUsePasskeys } from '../../../api/passkeys.ts'
import { useSignInOptions } from '../../../api/sign-in.ts'
import { notify } from '../../../components/confirm.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Below, columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { PasswordDialog } from '../../../components/password-dialog.tsx'
import { Time } from '../../../components/time.tsx'
import { LinesSkeleton, SettingsSection } from '../settings-section.tsx'
import { TEXTS } from '../texts.tsx'
import { AddPasskey } from './add-passkey.tsx'

const column = columnsFor<Passkey>()

/** The passkeys of the signed-in operator. */
export function PasskeysSection() {
  const client = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const options = useSignInOptions()
  const found = useQuery(passkeysQuery())
  const refresh = () => client.invalidateQueries(passkeysQuery())
  const isPossible = options?.passkeys === true && canUsePasskeys()
  const passkeys = found.data?.passkeys ?? []
  return (
    <SettingsSection
      title={TEXTS.passkeys}
      description={TEXTS.passkeysDescription}
      action={
        isPossible && (
          <Button
            variant="default"
            leftSection={<IconFingerprint size={18} />}
            onClick={() => setAdding(true)}
          >
            {TEXTS.addAPasskey}
          </Button>
        )
      }
    >
      {options && !isPossible && (
        <Text size="sm" c="dimmed">
          {options.passkeys ? TEXTS.passkeysUnsupported : TEXTS.passkeysRequireHttps}
        </Text>
      )}
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton lines={1} />}
      {found.data && passkeys.length === 0 && isPossible && (
        <Text size="sm">{TEXTS.noPasskeysYet}</Text>
      )}
      {passkeys.length > 0 && (
        <ListTable
          label={TEXTS.passkeys}
          isPlain
          rows={passkeys}
          idOf={({ id }) => id}
          columns={[
            column.of('Passkey', ({ name, synced, created_at }) => (
              <>
                <Text size="sm" fw={600}>
                  {name}
                </Text>
                <Below>
                  {TEXTS.passkeyAddedAt(
                    synced ? TEXTS.inPasswordManager : TEXTS.onOneDevice,
                    <Time at={created_at} />,
                  )}
                </Below>
              </>
            )),
            column.actions(
              TEXTS.remove,
              (passkey) => (
                <Tooltip label={TEXTS.remove}>
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    aria-label={TEXTS.removeThePasskey(passkey.name)}
                    onClick={() => setRemoving(passkey)}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </Tooltip>
              ),
              { width: 60, phone: 'end' },
            ),
          ]}
        />
      )}
      {isAdding && <AddPasskey onClose={() => setAdding(false)} onAdded={refresh} />}
      {removing && (
        <PasswordDialog
          title={TEXTS.removeAPasskey}
          action={TEXTS.remove}
          danger
          onClose={() => setRemoving(null)}
          onConfirm={async (password) => {
            const body = { password }
            await callHub(`${PASSKEYS_PATH}/${removing.id}`, { method: 'DELETE', body })
            await refresh()
            notify(TEXTS.passkeyRemoved)
            setRemoving(null)
          }}
        >
          {TEXTS.removeAPasskeyHint(removing.name)}
        </PasswordDialog>
      )}
    </SettingsSection>
  )
}
