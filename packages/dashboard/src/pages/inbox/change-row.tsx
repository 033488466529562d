import { Autocomplete, Badge, Code, Select, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useModules } from '../../api/platforms.ts'
import { IconButton } from '../../components/icon-button.tsx'
import classes from './inbox.module.css'
import { type ChangeRow, isOp, type membersOf, OPS, textOf } from './repair-changes.ts'

/** One change: what, which member, and the value or new name. */
export function Row(props: {
  row: ChangeRow
  number: number
  platform: string
  members: ReturnType<typeof membersOf>
  hint: string | null
  onChange: (changed: Partial<ChangeRow>) => void
  onRemove: () => void
}) {
  const { row, number, platform, members, hint, onChange, onRemove } = props
  const { op, path, text } = row
  const registered = useModules(platform).filter((one) => one.registered)
  const isModule = op === 'set' && path === 'record_type'
  const was = members.find(({ label }) => label === path)?.value
  const hasText = op === 'set' || op === 'default' || op === 'rename'
  const target = { size: 'xs', value: text, 'aria-label': `Change ${number}: to` } as const
  return (
    <div className={classes['change']}>
      <Select
        size="xs"
        w={104}
        aria-label={`Change ${number}: what`}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        data={Object.entries(OPS).map(([value, label]) => ({ value, label }))}
        value={op}
        onChange={(value) => isOp(value) && onChange({ op: value })}
      />
      <Autocomplete
        size="xs"
        w={128}
        aria-label={`Change ${number}: member`}
        placeholder="data.status"
        comboboxProps={{ withinPortal: false }}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        data={[...new Set(members.map(({ label }) => label))]}
        value={path}
        onChange={(value) => onChange({ path: value })}
      />
      {op === 'set' && was !== undefined && (
        <>
          <Text span size="sm" c="dimmed">
            from
          </Text>
          <Code className={classes['was'] ?? ''}>{textOf(was)}</Code>
        </>
      )}
      {hasText && (
        <Text span size="sm" c="dimmed">
          to
        </Text>
      )}
      {hasText &&
        (isModule ? (
          <Select
            {...target}
            w={150}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            placeholder="Module"
            data={registered.map(({ record_type, module_name }) => ({
              value: record_type,
              label: `${module_name} (${record_type})`,
            }))}
            onChange={(value) => onChange({ text: value ?? '' })}
          />
        ) : (
          <TextInput
            {...target}
            w={200}
            placeholder={op === 'rename' ? 'New name' : 'Text, or JSON such as 12'}
            onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
          />
        ))}
      {hint !== null && (
        <Badge color="gray" variant="light">
          {hint}
        </Badge>
      )}
      <IconButton label={`Remove change ${number}`} ml="auto" onClick={onRemove}>
        <IconX size={14} aria-hidden />
      </IconButton>
    </div>
  )
}
