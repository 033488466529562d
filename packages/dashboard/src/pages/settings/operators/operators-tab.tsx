import { Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { operatorsQuery } from '../../../api/operators.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { SettingsSection } from '../settings-section.tsx'
import { TEXTS } from '../texts.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { OpenInvitations } from './open-invitations.tsx'
import { OperatorDrawer } from './operator-drawer.tsx'
import { OperatorsTable } from './operators-table.tsx'

/** Operators and invitations. */
export function OperatorsTab() {
  const [{ operator: openId = '' }, change] = useUrlState()
  const [isInviting, inviting] = useDisclosure(false)
  const found = useQuery(operatorsQuery())
  const error = errorInPlaceOfData(found)
  const operators = found.data?.operators
  const open = operators?.find(({ id }) => id === openId)
  return (
    <Stack>
      <SettingsSection
        title={TEXTS.operators}
        description={TEXTS.operatorsDescription}
        action={
          <Button leftSection={<IconUserPlus size={18} />} onClick={inviting.open}>
            {TEXTS.invite}
          </Button>
        }
      >
        {error ? (
          <ErrorNotice error={error} onRetry={() => found.refetch()} />
        ) : (
          <OperatorsTable operators={operators} onOpen={({ id }) => change({ operator: id })} />
        )}
      </SettingsSection>
      <OpenInvitations />
      {open && <OperatorDrawer operator={open} onClose={() => change({ operator: null })} />}
      {isInviting && <InviteDialog onClose={inviting.close} />}
    </Stack>
  )
}
