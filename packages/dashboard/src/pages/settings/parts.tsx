import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  Paper,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core'
import type { OperatorSession } from '@recordhub/protocol'
import { IconLogout } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { useAttempt } from '../../components/confirm.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog, DialogFooter } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Time } from '../../components/time.tsx'
import { userAgentLabel } from '../../lib/user-agent.ts'
import { TEXTS } from '../../texts.ts'
import classes from './settings.module.css'

/** A section of the settings: a title, an optional action, and a card unless the content has one. */
export function SettingsSection(props: {
  title: string
  description?: ReactNode
  action?: ReactNode
  isCard?: boolean
  children?: ReactNode
}) {
  const { title, description, action, isCard = true, children } = props
  return (
    <Stack component="section" aria-label={title} gap="xs" mt="lg">
      <Group justify="space-between" align="flex-end" gap="xs">
        <Stack gap={2} maw={640}>
          <Title order={2} fz="h4">
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </Stack>
        {action}
      </Group>
      {isCard ? <Paper withBorder>{children}</Paper> : children}
    </Stack>
  )
}

const HINT = { fz: 'xs', lh: '1.125rem', c: 'dimmed', style: { textWrap: 'pretty' } } as const

/** One row of a card: what it is, a sentence about it, and its value, input or action. */
export function Row(props: {
  title: string
  hint?: ReactNode
  /** The id of the input that the title names; the hint has the id with `-hint`. */
  htmlFor?: string
  /** On a phone, the value has a line of its own. */
  isWide?: boolean
  children?: ReactNode
}) {
  const { title, hint, htmlFor, isWide = false, children } = props
  return (
    <div className={`${classes['row']} ${isWide ? classes['wide'] : ''}`}>
      <div>
        <Text size="sm" fw={550} {...(htmlFor ? { component: 'label', htmlFor } : {})}>
          {title}
        </Text>
        {hint && (
          <Text component="div" {...HINT} id={htmlFor && `${htmlFor}-hint`}>
            {hint}
          </Text>
        )}
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </div>
  )
}

/**
 * The `ref` of an input that a {@link Row} describes. Mantine's text inputs replace `aria-describedby` with the id of a
 * description of their own.
 */
export function describedBy(id: string) {
  return (input: HTMLInputElement | null) => input?.setAttribute('aria-describedby', id)
}

/** Shown while a section loads. */
export function LinesSkeleton({ lines = 3 }: { lines?: number }) {
  return (
    <Stack gap="xs" aria-busy="true" aria-label={TEXTS.loading}>
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <Skeleton key={line} height={28} />
      ))}
    </Stack>
  )
}

/** A table of names and values. */
export function Facts({ label, facts }: { label: string; facts: [string, ReactNode][] }) {
  return (
    <Table aria-label={label} layout="fixed" horizontalSpacing="md">
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={{ base: '42%', sm: 240 }} fw={500} c="dimmed">
              {name}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** A secret that is shown only once. */
export function SecretOnce(props: {
  title: string
  value: string
  /** The noun in the label of the copy button. */
  label: string
  /** Buttons beside *Copy*. */
  actions?: ReactNode
  children?: ReactNode
}) {
  const { title, value, label, actions, children } = props
  return (
    <Alert title={title} role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{children}</Text>
        <Code
          block
          w="100%"
          fz={{ base: 'xs', sm: 'sm' }}
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          data-secret={label}
        >
          {value}
        </Code>
        <Group gap="xs">
          <CopyButton
            value={value}
            label={`Copy ${label}`}
            text={`Copy ${label}`}
            isPrimary={!actions}
          />
          {actions}
        </Group>
      </Stack>
    </Alert>
  )
}

const column = columnsFor<OperatorSession>()

/** Sessions, with a button to end each one except the current. */
export function SessionsTable(props: {
  query: UseQueryResult<{ sessions: OperatorSession[] }>
  onEnd: (session: OperatorSession) => Promise<void>
}) {
  const { query, onEnd } = props
  const { isBusy, run } = useAttempt()
  const error = errorInPlaceOfData(query)
  if (error) return <ErrorNotice error={error} onRetry={() => void query.refetch()} />
  return (
    <ListTable
      label="Sessions"
      isPlain
      rows={query.data?.sessions}
      idOf={({ id }) => id}
      empty={<Text size="sm">No active sessions.</Text>}
      columns={[
        column.of('Session', (session) => (
          <>
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {userAgentLabel(session.user_agent)}
              </Text>
              {session.current && (
                <Badge size="sm" color="green">
                  Current
                </Badge>
              )}
            </Group>
            <Below>
              {session.address ?? 'Unknown address'} · since{' '}
              <Time at={session.created_at} seconds /> · last active{' '}
              <Time at={session.last_seen_at} seconds />
            </Below>
          </>
        )),
        column.actions(
          'End this session',
          (session) =>
            !session.current && (
              <IconButton
                tooltip="End this session"
                label={`End the session ${userAgentLabel(session.user_agent)}, ${session.address ?? 'unknown address'}`}
                color="red"
                disabled={isBusy}
                onClick={() => void run(() => onEnd(session))}
              >
                <IconLogout size={16} aria-hidden />
              </IconButton>
            ),
          { width: 60, phone: 'end' },
        ),
      ]}
    />
  )
}

/** Shows a secret that was created; it does not close by a click beside it. */
export function SecretDialog(
  props: ComponentProps<typeof SecretOnce> & {
    dialogTitle: string
    onClose: () => void
    /** What went wrong besides. */
    notice?: ReactNode
  },
) {
  const { dialogTitle, onClose, notice, ...secret } = props
  return (
    <Dialog opened staysOpen onClose={onClose} title={dialogTitle} size="lg">
      <Stack>
        <SecretOnce {...secret} />
        {notice}
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            {TEXTS.done}
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  )
}
