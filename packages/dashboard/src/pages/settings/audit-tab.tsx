import { Button, Group, Select, TextInput } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { auditQuery } from '../../api/settings.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { AUDIT_ACTIONS, describeAction } from '../../lib/describe-action.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { AuditTable } from './audit-table.tsx'
import { LinesSkeleton, SettingsSection } from './settings-section.tsx'

/** Who did what to what, when and from where. */
export function AuditTab() {
  const [{ actor = '', action = '', target = '' }, change] = useUrlState()
  const filters = given({ actor, action, target })
  const found = useInfiniteQuery(auditQuery(filters))
  const entries = found.data?.pages.flatMap(({ audit }) => audit)
  const isFiltered = Object.keys(filters).length > 0
  return (
    <SettingsSection
      title="Audit"
      description="What people and programs did in this hub. It cannot be changed here, and is kept as long as the retention says."
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          key={`actor ${actor}`}
          label="Who"
          placeholder="ann@example.org"
          defaultValue={actor}
          onBlur={({ currentTarget }) => change({ actor: currentTarget.value.trim() })}
          onKeyDown={({ key, currentTarget }) =>
            key === 'Enter' && change({ actor: currentTarget.value.trim() })
          }
        />
        <Select
          label="What"
          placeholder="Everything"
          clearable
          searchable
          data={AUDIT_ACTIONS.map((value) => ({ value, label: describeAction(value) }))}
          value={action === '' ? null : action}
          onChange={(value) => change({ action: value })}
        />
        <TextInput
          key={`target ${target}`}
          label="To what"
          defaultValue={target}
          onBlur={({ currentTarget }) => change({ target: currentTarget.value.trim() })}
          onKeyDown={({ key, currentTarget }) =>
            key === 'Enter' && change({ target: currentTarget.value.trim() })
          }
        />
        {isFiltered && (
          <Button
            variant="subtle"
            onClick={() => change({ actor: null, action: null, target: null })}
          >
            Clear
          </Button>
        )}
        {(['csv', 'ndjson'] as const).map((format) => (
          <Button
            key={format}
            variant="default"
            component="a"
            href={`/api/v1/audit/export?${new URLSearchParams({ ...filters, format })}`}
            download
          >
            Export as {format.toUpperCase()}
          </Button>
        ))}
      </Group>
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton lines={8} />}
      {entries?.length === 0 && (
        <EmptyState icon={<IconHistory />} title="Nothing here">
          {isFiltered
            ? 'Nothing matches these filters. Names must be whole.'
            : 'What people and programs do will stand here.'}
        </EmptyState>
      )}
      {entries && entries.length > 0 && <AuditTable entries={entries} />}
      {found.hasNextPage && (
        <Group justify="center">
          <Button
            variant="default"
            loading={found.isFetchingNextPage}
            onClick={() => void found.fetchNextPage()}
          >
            Show older ones
          </Button>
        </Group>
      )}
    </SettingsSection>
  )
}

/** Without those that are left empty. */
function given(filters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
}
