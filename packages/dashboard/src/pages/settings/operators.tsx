import { Alert, Anchor, Badge, Button, Group, NumberInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { Invitation, Operator, Role } from '@recordhub/protocol'
import { IconTrash, IconUserPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../api/call-hub.ts'
import { invitationsQuery, operatorsQuery } from '../../api/operators.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { session } from '../../api/session.ts'
import { singleSignOnQuery } from '../../api/settings.ts'
import { confirm, notify } from '../../components/confirm.tsx'
import { PasswordAgainInput } from '../../components/current-password-input.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { OptionList } from '../../components/option-list.tsx'
import { Time } from '../../components/time.tsx'
import { formatCode, formatCount } from '../../lib/format.ts'
import { ROLE_CHOICES } from '../../lib/roles.ts'
import { useStore } from '../../lib/store.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { TEXTS } from '../../texts.ts'
import { OperatorDrawer, SignInMethods } from './operator-drawer.tsx'
import { LinesSkeleton, SecretDialog, SettingsSection } from './parts.tsx'
import { StoredForm } from './stored-form.tsx'

const column = columnsFor<Operator>()

/** Operators and invitations. */
export function OperatorSettings() {
  const [{ operator: openId = '' }, change] = useUrlState()
  const [isInviting, inviting] = useDisclosure(false)
  const found = useQuery(operatorsQuery())
  const open = found.data?.operators.find(({ id }) => id === openId)
  const onOpen = ({ id }: Operator) => change({ operator: id })
  return (
    <>
      <Loaded query={found} skeleton={<LinesSkeleton />}>
        {({ operators }) => (
          <SettingsSection
            title={formatCount(operators.length, 'person', 'people')}
            description="Viewers can read. Operators can work with platforms, pulls and records. Admins have full access."
            isCard={false}
            action={
              <Button leftSection={<IconUserPlus size={16} />} onClick={inviting.open}>
                Invite
              </Button>
            }
          >
            <OperatorsTable operators={operators} onOpen={onOpen} />
          </SettingsSection>
        )}
      </Loaded>
      <OpenInvitations />
      {found.data && <RequireSecondFactor operators={found.data.operators} />}
      {open && <OperatorDrawer operator={open} onClose={() => change({ operator: null })} />}
      {isInviting && <InviteDialog onClose={inviting.close} />}
    </>
  )
}

const MAX_NAMED = 5

/** Says who would have to set one up. */
function RequireSecondFactor({ operators }: { operators: Operator[] }) {
  const { operator: own } = useStore(session)
  const hasProvider = useQuery(singleSignOnQuery()).data?.single_sign_on.configured === true
  const without = operators.filter(
    ({ disabled_at, second_factor, passkeys, single_sign_on }) =>
      disabled_at === null && !second_factor && passkeys === 0 && !(single_sign_on && hasProvider),
  )
  const more = without.length - MAX_NAMED
  const named = [
    ...without.slice(0, MAX_NAMED).map(({ name }) => name),
    ...(more > 0 ? [`${more} more`] : []),
  ]
  const isOwnMissing = without.some(({ id }) => id === own?.id)
  const field = {
    name: 'HUB_REQUIRE_SECOND_FACTOR',
    title: 'Second factor for everyone',
    hint: (
      <>
        After a sign-in with only a password, an operator must first set one up, or sign in again
        with it. Single sign-on counts, and tokens are not affected.{' '}
        {without.length > 0 && `Without one now: ${named.join(', ')}.`}{' '}
        {isOwnMissing && 'To turn this on, set up your own under Security first.'}
      </>
    ),
    isSwitch: true,
  }
  return (
    <SettingsSection title="Sign-in" isCard={false}>
      <StoredForm fields={[field]} action="Save the requirement" />
    </SettingsSection>
  )
}

type OperatorsTableProps = { operators: Operator[]; onOpen: (operator: Operator) => void }

function OperatorsTable({ operators, onOpen }: OperatorsTableProps) {
  return (
    <ListTable
      label="Operators"
      rows={operators}
      idOf={({ id }) => id}
      onOpen={onOpen}
      columns={[
        column.of('Operator', (operator) => (
          <>
            <Anchor
              component="button"
              size="sm"
              ta="left"
              fw={600}
              onClick={() => onOpen(operator)}
            >
              {operator.name}
            </Anchor>{' '}
            {operator.disabled_at && <Badge color="red">Disabled</Badge>}
            {operator.name !== operator.email && <Below>{operator.email}</Below>}
          </>
        )),
        column.of('Role', ({ role }) => formatCode(role), { width: 90 }),
        column.of(
          'Sign-in methods',
          (operator) => (
            <Group gap={4}>
              <SignInMethods operator={operator} />
            </Group>
          ),
          { width: 190 },
        ),
        column.time('Last seen', ({ last_seen_at }) => last_seen_at, { none: TEXTS.never }),
        column.number('Sessions', ({ sessions }) => sessions, { width: 90 }),
      ]}
    />
  )
}

const invitationColumn = columnsFor<Invitation>()

/** Invitations that have not been accepted. Renders nothing if there are none. */
function OpenInvitations() {
  const client = useQueryClient()
  const found = useQuery(invitationsQuery())
  const error = errorInPlaceOfData(found)
  const invitations = found.data?.invitations ?? []
  if (error) return <ErrorNotice error={error} onRetry={() => void found.refetch()} />
  if (invitations.length === 0) return null

  const withdraw = ({ id, email }: Invitation) =>
    confirm({
      title: 'Withdraw this invitation?',
      children: `The link of ${email} will no longer work.`,
      action: 'Withdraw',
      async onConfirm() {
        await callHub(`/api/v1/invitations/${id}`, { method: 'DELETE' })
        await client.invalidateQueries(invitationsQuery())
        notify('Invitation withdrawn.')
      },
    })

  return (
    <SettingsSection
      title="Invitations"
      description="Not accepted yet. If a link was lost, invite again: the old link no longer works."
    >
      <ListTable
        label="Invitations"
        isPlain
        rows={invitations}
        idOf={({ id }) => id}
        columns={[
          invitationColumn.of('Invitation', (invitation) => (
            <>
              <Group gap="xs">
                <Text size="sm" fw={600}>
                  {invitation.email}
                </Text>
                <Badge size="sm">{formatCode(invitation.role)}</Badge>
                {isExpired(invitation) && (
                  <Badge size="sm" color="orange">
                    Expired
                  </Badge>
                )}
              </Group>
              <Below>
                Invited by <OperatorName by={invitation.invited_by} /> ·{' '}
                {isExpired(invitation) ? 'expired' : 'expires'} <Time at={invitation.expires_at} />
              </Below>
            </>
          )),
          invitationColumn.actions(
            'Withdraw',
            (invitation) => (
              <IconButton
                tooltip="Withdraw"
                label={`Withdraw the invitation of ${invitation.email}`}
                color="red"
                onClick={() => withdraw(invitation)}
              >
                <IconTrash size={16} aria-hidden />
              </IconButton>
            ),
            { width: 60, phone: 'end' },
          ),
        ]}
      />
    </SettingsSection>
  )
}

function isExpired({ expires_at }: Invitation): boolean {
  return Date.parse(expires_at) <= Date.now()
}

type CreatedInvitation = {
  invitation: Invitation
  link: string
  mailed: boolean
  mail_problem: string | null
}

/** Creates an invitation link, which is shown only once. */
function InviteDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [created, setCreated] = useState<CreatedInvitation | null>(null)
  const form = useForm<{ email: string; role: Role; days: number | string; password: string }>({
    mode: 'controlled',
    initialValues: { email: '', role: 'viewer', days: 7, password: '' },
  })
  if (created) {
    return (
      <SecretDialog
        dialogTitle={`Invitation for ${created.invitation.email}`}
        onClose={onClose}
        title="Invitation link"
        value={created.link}
        label="link"
        notice={
          created.mail_problem && (
            <Alert color="yellow">
              {`The e-mail could not be sent: ${created.mail_problem}. Share the link yourself.`}
            </Alert>
          )
        }
      >
        {created.mailed
          ? 'The link was sent by e-mail. You can also share it yourself. It is not shown again.'
          : 'Share the link over a private channel. It works once, and is not shown again.'}
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      form={form}
      title="Invite a person"
      action="Create link"
      note="The link works once."
      onClose={onClose}
      onSubmit={async ({ days, ...invited }) => {
        const body = { ...invited, expires_in_days: Number(days) }
        const path = '/api/v1/invitations'
        setCreated(await callHub<CreatedInvitation>(path, { method: 'POST', body }))
        await client.invalidateQueries(invitationsQuery())
      }}
    >
      <TextInput
        label={TEXTS.eMail}
        type="email"
        required
        data-autofocus
        {...form.getInputProps('email')}
      />
      <OptionList label="Role" options={ROLE_CHOICES} {...form.getInputProps('role')} />
      <NumberInput
        label="Link expires after (days)"
        min={1}
        max={30}
        allowDecimal={false}
        required
        {...form.getInputProps('days')}
      />
      <PasswordAgainInput {...form.getInputProps('password')} />
    </FormDialog>
  )
}
