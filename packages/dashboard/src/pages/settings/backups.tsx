import { ActionIcon, Alert, Badge, Button, Code, Group, Progress, Stack, Text } from '@mantine/core'
import type { Backup, BackupRun, BackupsResponse } from '@recordhub/protocol'
import { IconAlertTriangle, IconDatabaseExport, IconDownload } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { backupsQuery, backupUrl, startBackup, startDrill } from '../../api/backups.ts'
import { attempt } from '../../components/confirm.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Ago, Time } from '../../components/time.tsx'
import { formatBytes, formatCount, formatNumber } from '../../lib/format.ts'
import { scheduleLabel } from '../../lib/settings-labels.ts'
import { TEXTS } from '../../texts.ts'
import { inboxQuery } from '../inbox/inbox-query.ts'
import { Facts, LinesSkeleton, Row, SettingsSection } from './parts.tsx'
import { type Field, StoredForm } from './stored-form.tsx'

const column = columnsFor<Backup>()

const SCHEDULE: readonly Field[] = [
  {
    name: 'HUB_BACKUP_SCHEDULE',
    title: 'Back up',
    hint: 'While the hub runs; pushes and pulls go on.',
    kinds: ['hour', 'day', 'week'],
    proposal: '0 3 * * *',
  },
  {
    name: 'HUB_BACKUP_KEEP',
    title: 'Keep',
    hint: 'Scheduled backups, newest first; 0 keeps them all. Other backups are never deleted.',
    suffix: 'backups',
  },
  {
    name: 'HUB_BACKUP_DRILL',
    title: 'Test the restore of each backup',
    hint: 'Restores a copy of a scheduled backup, and compares every record. While that fails, no backup is deleted.',
    isSwitch: true,
  },
]

/** Backups: the schedule, start, progress, download, list, and restore drills. */
export function BackupSettings() {
  const client = useQueryClient()
  const found = useQuery(backupsQuery())
  const missing = useQuery(inboxQuery).data?.items.find(({ kind }) => kind === 'no_backup')
  const data = found.data
  const isRunning = data?.run?.state === 'running'
  const start = (
    <Button
      variant="default"
      disabled={!data || isRunning}
      onClick={() => void attempt(() => startBackup(client))}
    >
      Back up now
    </Button>
  )
  return (
    <>
      {missing && (
        <Notice icon={<IconAlertTriangle size={16} />} action={start}>
          <b>{missing.title}.</b> {missing.reason}
        </Notice>
      )}
      <SettingsSection title={TEXTS.schedule} isCard={false} action={!missing && start}>
        <StoredForm fields={SCHEDULE} action="Save the schedule">
          {data && <MachineSettings data={data} />}
        </StoredForm>
      </SettingsSection>
      {data?.run && <RunNotice run={data.run} />}
      {data?.run?.operation === 'drill' && (
        <DrillNotice backup={data.backups.find(({ file }) => file === data.run?.file)} />
      )}
      <Loaded query={found} skeleton={<LinesSkeleton lines={4} />}>
        {({ backups }) => (
          <SettingsSection
            title={formatCount(backups.length, 'backup')}
            description="A restore test unpacks a backup beside the database, compares its records with the hub, and deletes the copy. To restore a backup, stop the hub and run “recordhub restore <file>”."
            isCard={false}
          >
            <BackupTable backups={backups} isRunning={isRunning} />
          </SettingsSection>
        )}
      </Loaded>
    </>
  )
}

/** What is set on the machine of the hub, and when the next backup is made. */
function MachineSettings({ data }: { data: BackupsResponse }) {
  const { schedule, next_at, folder, encrypts, secret_fingerprint } = data
  return (
    <>
      <Row title="Next backup" hint={schedule && (scheduleLabel(schedule) || schedule)}>
        {next_at ? <Time at={next_at} /> : '—'}
      </Row>
      <Row title="Folder" hint="HUB_BACKUP_DIR, better on another disk or machine." isWide>
        <Code>{folder}</Code>
      </Row>
      <Row
        title="Encryption"
        hint={
          encrypts
            ? 'New backups are encrypted with a passphrase.'
            : 'Set HUB_BACKUP_PASSPHRASE_FILE to encrypt new backups.'
        }
      >
        {encrypts ? 'On' : 'Off'}
      </Row>
      <Row
        title="Fingerprint of the hub secret"
        hint="A backup does not contain the secret: store HUB_SECRET or the file recordhub.secret separately."
        isWide
      >
        <Code>{secret_fingerprint}</Code>
      </Row>
    </>
  )
}

function RunNotice({ run }: { run: BackupRun }) {
  const { operation, state, phase, percent, error, finished_at } = run
  const isDrill = operation === 'drill'
  if (state === 'failed') {
    const title = isDrill ? 'The restore test failed' : 'The backup failed'
    return (
      <Alert mt="md" color="red" title={title} role="alert">
        {error}
      </Alert>
    )
  }
  if (state === 'succeeded') {
    return isDrill ? null : (
      <Alert mt="md" color="green" title="Backup complete">
        {run.file} was written and verified, <Time at={finished_at ?? run.started_at} />.
      </Alert>
    )
  }
  const label = {
    copy: 'Copying the database',
    check: 'Checking the copy',
    write: 'Writing the backup',
    verify: 'Verifying the backup',
    unpack: 'Unpacking the backup',
    compare: 'Comparing the records',
  }[phase]
  return (
    <Stack gap={4} mt="md" role="status">
      <Text size="sm">{percent === null ? `${label}…` : `${label}: ${percent} %`}</Text>
      <Progress
        value={percent ?? 100}
        animated
        striped={percent === null}
        aria-label={isDrill ? 'Restore test' : 'Backup'}
      />
    </Stack>
  )
}

function DrillNotice({ backup }: { backup: Backup | undefined }) {
  if (!backup?.drill) return null
  const { file, drill } = backup
  const { passed, records, equal, changed_since, deleted_since, different, absent } = drill
  const counts: [string, number][] = [
    ['Records in the backup', records],
    ['Equal in the hub', equal],
    ['Changed after the backup', changed_since],
    ['Deleted after the backup', deleted_since],
    ['Different', different],
    ['Missing from the backup', absent],
  ]
  return (
    <Alert
      mt="md"
      color={passed ? 'green' : 'red'}
      title={passed ? 'The backup can be restored' : 'The restored copy differs from the hub'}
      role="status"
    >
      <Text size="sm" mb="xs">
        Restore test of {file}, <Time at={drill.finished_at} />
      </Text>
      <Facts
        label="Restore test"
        facts={counts.map(([name, count]) => [name, formatNumber(count)])}
      />
    </Alert>
  )
}

function BackupTable({ backups, isRunning }: { backups: Backup[]; isRunning: boolean }) {
  const client = useQueryClient()
  return (
    <ListTable
      label="Backup files"
      rows={backups}
      idOf={({ file }) => file}
      empty={
        <EmptyState icon={<IconDatabaseExport />} title="No backups yet">
          Start a backup, or save a schedule.
        </EmptyState>
      }
      columns={[
        column.of('Backup', ({ file, info }) => (
          <>
            {info && (
              <Group gap="xs">
                <Time at={info.created_at} />
                {info.encrypted && <Badge>Encrypted</Badge>}
              </Group>
            )}
            <Below>{file}</Below>
          </>
        )),
        column.of('Size', ({ bytes }) => formatBytes(bytes), { width: 90, phone: 'end' }),
        column.of(
          'Content',
          ({ info, problem }) =>
            info
              ? `${formatCount(info.tables['records'] ?? 0, 'record')}, ${formatCount(info.tables['platforms'] ?? 0, 'platform')}`
              : problem,
          { width: 170, phone: 'line' },
        ),
        column.of(
          'Restore test',
          ({ drill }) =>
            drill ? (
              <>
                {drill.passed ? 'passed' : 'differs'}, <Ago at={drill.finished_at} />
              </>
            ) : (
              'none'
            ),
          { width: 130, phone: 'labelled' },
        ),
        column.actions(
          'Actions',
          ({ file, info }) => (
            <Group gap="xs" justify="flex-end" wrap="nowrap">
              <Button
                size="xs"
                variant="default"
                disabled={isRunning || info === null}
                aria-label={`Test restore of ${file}`}
                onClick={() => void attempt(() => startDrill(client, file))}
              >
                Test restore
              </Button>
              <ActionIcon
                size={28}
                variant="subtle"
                color="gray"
                component="a"
                href={backupUrl(file)}
                download={file}
                title="Download"
                aria-label={`Download ${file}`}
              >
                <IconDownload size={16} aria-hidden />
              </ActionIcon>
            </Group>
          ),
          { width: 164, phone: 'line' },
        ),
      ]}
    />
  )
}
