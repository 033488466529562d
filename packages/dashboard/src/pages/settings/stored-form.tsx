/** A form for settings that are stored in the hub. One that the environment sets is shown as fixed. */
import {
  Anchor,
  Button,
  Code,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import type { Setting } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { callHub, HubCallError } from '../../api/call-hub.ts'
import { getQuery } from '../../api/get-query.ts'
import { notify } from '../../components/confirm.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PasswordDialog } from '../../components/password-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { scheduleLabel, WEEKDAYS } from '../../lib/settings-labels.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { describedBy, LinesSkeleton, Row } from './parts.tsx'
import classes from './settings.module.css'

export type Field = {
  /** The name of the setting. */
  name: string
  title: string
  hint?: ReactNode
  /** A schedule, and the kinds that are offered besides `Off` and `Other`. */
  kinds?: readonly Kind[]
  /** A number, with its unit. */
  suffix?: string
  /** On or off. */
  isSwitch?: boolean
  /** What the form begins with if nobody has set the setting. It still has to be saved. */
  proposal?: string
}

type FormProps = {
  fields: readonly Field[]
  /** The label of the submit button. */
  action: string
  /** Further rows of the card. */
  children?: ReactNode
}

export function StoredForm(props: FormProps) {
  const found = useQuery(getQuery<{ settings: Setting[] }>('GET /api/v1/settings'))
  return (
    <Loaded query={found} skeleton={<LinesSkeleton lines={2 * props.fields.length} />}>
      {({ settings }) => <LoadedForm settings={settings} {...props} />}
    </Loaded>
  )
}

/** New values by the name of the setting; null restores the default. */
type Draft = Readonly<Record<string, string | null>>

function LoadedForm(props: FormProps & { settings: readonly Setting[] }) {
  const { settings, fields, action, children } = props
  const client = useQueryClient()
  const isAdmin = useHasRole('admin')
  const rows = fields.flatMap((field) => {
    const setting = settings.find(({ name }) => name === field.name)
    return setting ? [{ field, setting }] : []
  })
  const [draft, setDraft] = useState<Draft>(() => (isAdmin ? proposalsOf(rows) : {}))
  const [errors, setErrors] = useState<Readonly<Record<string, string[]>>>({})
  const [isConfirming, setConfirming] = useState(false)
  const isChanged = Object.keys(draft).length > 0
  const canChange = isAdmin && rows.some(({ setting }) => setting.source !== 'environment')
  const valueIn = ({ name, value, default: byDefault }: Setting) => {
    const changed = draft[name]
    return changed === undefined ? value : (changed ?? byDefault)
  }
  const change = (setting: Setting, value: string | null) => {
    const { [setting.name]: _, ...others } = draft
    setDraft(value === setting.value ? others : { ...others, [setting.name]: value })
    setErrors({})
  }

  async function save(password: string): Promise<void> {
    try {
      const body = { settings: draft, password }
      await callHub('/api/v1/settings', { method: 'PATCH', body })
    } catch (error) {
      if (!(error instanceof HubCallError) || !rows.some(({ field }) => error.errors[field.name])) {
        throw error
      }
      setErrors(error.errors)
      return setConfirming(false)
    }
    // Many pages show what depends on a setting.
    await client.invalidateQueries()
    setDraft({})
    setConfirming(false)
    notify('Saved. It applies on all nodes within 5 s.')
  }

  return (
    <Paper withBorder>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setConfirming(isChanged)
        }}
      >
        {rows.map(({ field, setting }) => (
          <SettingRows
            key={field.name}
            field={field}
            setting={setting}
            value={valueIn(setting)}
            error={errors[field.name]?.join(' ')}
            onChange={isAdmin ? (value) => change(setting, value) : null}
          />
        ))}
        {children}
        <div className={classes['foot']}>
          {canChange && (
            <Button type="submit" disabled={!isChanged}>
              {action}
            </Button>
          )}
          {isChanged && (
            <Button variant="subtle" color="gray" onClick={() => setDraft({})}>
              Discard
            </Button>
          )}
          <Text size="sm" component="span" role="status">
            {footText({ isAdmin, canChange, isChanged })}
          </Text>
        </div>
      </form>
      {isConfirming && (
        <PasswordDialog
          title={`${action}?`}
          action="Save"
          onClose={() => setConfirming(false)}
          onConfirm={save}
        >
          {rows
            .filter(({ field }) => draft[field.name] !== undefined)
            .map(({ field, setting }) => (
              <span key={field.name} style={{ display: 'block' }}>
                {field.title}: <Code>{setting.value || 'none'}</Code> →{' '}
                <Code>{draft[field.name] || setting.default || 'none'}</Code>
              </span>
            ))}
        </PasswordDialog>
      )}
    </Paper>
  )
}

function proposalsOf(rows: readonly { field: Field; setting: Setting }[]): Draft {
  return Object.fromEntries(
    rows.flatMap(({ field: { name, proposal }, setting }) =>
      proposal !== undefined && setting.source === 'default' ? [[name, proposal]] : [],
    ),
  )
}

function footText(state: { isAdmin: boolean; canChange: boolean; isChanged: boolean }): string {
  if (!state.isAdmin) return 'Changing these settings requires the admin role.'
  if (!state.canChange) return 'These settings are fixed where the hub is started.'
  return state.isChanged ? 'Not saved yet.' : ''
}

type InputProps = {
  id: string
  field: Field
  value: string
  error: string | undefined
  isDisabled: boolean
  onChange: (value: string) => void
}

function SettingRows(props: {
  field: Field
  setting: Setting
  value: string
  error: string | undefined
  /** Null for a viewer. */
  onChange: ((value: string | null) => void) | null
}) {
  const { field, setting, value, error, onChange } = props
  const isDisabled = onChange === null || setting.source === 'environment'
  const { kinds } = field
  const input: InputProps = {
    ...{ id: `setting-${field.name}`, field, value, error, isDisabled },
    onChange: (text) => onChange?.(text),
  }
  const hint = (
    <>
      {field.hint ?? setting.help} <Origin setting={setting} isChanged={value !== setting.value} />
      {setting.source === 'stored' && !isDisabled && value !== setting.default && (
        <>
          {' '}
          <Anchor component="button" type="button" inherit onClick={() => onChange?.(null)}>
            Use the default
          </Anchor>
        </>
      )}
    </>
  )
  if (kinds) return <ScheduleRows {...input} kinds={kinds} hint={hint} />
  return (
    <Row title={field.title} hint={hint} htmlFor={input.id} isWide>
      <Plain {...input} />
    </Row>
  )
}

/** Where the value comes from. */
function Origin({ setting, isChanged }: { setting: Setting; isChanged: boolean }) {
  if (setting.source === 'environment') {
    return (
      <>
        Fixed by <Code>{setting.name}</Code>, where the hub is started.
      </>
    )
  }
  if (setting.source === 'default') {
    if (setting.value === '') return 'Not set.'
    return isChanged ? `Now ${setting.value}, the default.` : 'This is the default.'
  }
  return (
    <>
      Set by <OperatorName by={setting.changed_by} />, <Time at={setting.changed_at} />.
    </>
  )
}

function Plain({ id, field, value, error, isDisabled, onChange }: InputProps) {
  const { suffix, isSwitch } = field
  const common = {
    ...{ id, value, error, disabled: isDisabled, className: classes['input'] ?? '' },
    ref: describedBy(`${id}-hint`),
  }
  if (isSwitch) {
    const { value: _, className: __, ...shared } = common
    return (
      <Switch
        {...shared}
        checked={value === 'on'}
        onChange={({ target }) => onChange(target.checked ? 'on' : 'off')}
      />
    )
  }
  return suffix === undefined ? (
    <TextInput {...common} onChange={({ target }) => onChange(target.value)} />
  ) : (
    <NumberInput
      {...common}
      suffix={` ${suffix}`}
      min={0}
      allowDecimal={false}
      thousandSeparator=","
      onChange={(number) => onChange(String(number))}
    />
  )
}

/** How often a schedule runs: its pattern, and the one that choosing it begins with. */
const KINDS = {
  minute: { label: 'Every minute', pattern: /^\* \* \* \* \*$/, start: '* * * * *' },
  hour: { label: 'Every hour', pattern: /^\d+ \* \* \* \*$/, start: '0 * * * *' },
  day: { label: 'Every day', pattern: /^\d+ \d+ \* \* \*$/, start: '0 3 * * *' },
  week: { label: 'Every week', pattern: /^\d+ \d+ \* \* [0-6]$/, start: '0 3 * * 0' },
} as const
export type Kind = keyof typeof KINDS

function ScheduleRows(props: InputProps & { kinds: readonly Kind[]; hint: ReactNode }) {
  const { kinds, hint, ...input } = props
  const { id, field, value, error, isDisabled, onChange } = input
  const [isOther, setOther] = useState(false)
  const found = isOther ? 'other' : kinds.find((kind) => KINDS[kind].pattern.test(value))
  const kind = found ?? (value === 'off' ? 'off' : 'other')
  const [minute = '0', hour = '0', , , weekday = '*'] = value.split(' ')
  const two = (text: string) => text.padStart(2, '0')
  return (
    <>
      <Row title={field.title} hint={hint} isWide>
        <SegmentedControl
          aria-label={field.title}
          size="xs"
          disabled={isDisabled}
          value={kind}
          data={[
            { value: 'off', label: 'Off' },
            ...kinds.map((one) => ({ value: one, label: KINDS[one].label })),
            { value: 'other', label: 'Other' },
          ]}
          onChange={(chosen) => {
            setOther(chosen === 'other')
            const start = kinds.find((one) => one === chosen)
            if (start) onChange(KINDS[start].start)
            else if (chosen === 'off') onChange('off')
          }}
        />
      </Row>
      {kind === 'hour' && (
        <Row title="At" hint="Minutes past each hour" htmlFor={id}>
          <NumberInput
            id={id}
            w={100}
            min={0}
            max={59}
            clampBehavior="strict"
            allowDecimal={false}
            disabled={isDisabled}
            value={minute}
            error={error}
            onChange={(number) => onChange(`${number === '' ? 0 : number} * * * *`)}
          />
        </Row>
      )}
      {(kind === 'day' || kind === 'week') && (
        <Row title="At" hint="In the time zone of the hub" htmlFor={id} isWide>
          {kind === 'week' && (
            <Select
              aria-label="Day of the week"
              w={130}
              allowDeselect={false}
              disabled={isDisabled}
              data={WEEKDAYS.map((label, day) => ({ value: String(day), label }))}
              value={weekday}
              onChange={(day) => onChange(`${minute} ${hour} * * ${day}`)}
            />
          )}
          <TextInput
            id={id}
            type="time"
            w={130}
            disabled={isDisabled}
            value={`${two(hour)}:${two(minute)}`}
            error={error}
            onChange={({ target }) => {
              const [hours, minutes] = target.value.split(':').map(Number)
              if (hours === undefined || minutes === undefined) return
              onChange(`${minutes} ${hours} * * ${weekday}`)
            }}
          />
        </Row>
      )}
      {kind === 'other' && (
        <Row
          title="Cron pattern"
          hint={
            scheduleLabel(value) ||
            'Minute, hour, day of the month, month and day of the week, in the time zone of the hub.'
          }
          htmlFor={id}
          isWide
        >
          <Plain {...input} />
        </Row>
      )}
    </>
  )
}
