/** Builders for the columns that many lists have. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatNumber } from '../../lib/format.ts'
import { PlatformLink } from '../platform-link.tsx'
import { Ago, Time } from '../time.tsx'
import { Tinted } from '../tinted.tsx'
import type { ListColumn } from './list-table.tsx'

type Options<Row> = Partial<Omit<ListColumn<Row>, 'title' | 'render'>>

/** A column with any content. Its id is its title, unless another one is given. */
function column<Row>(
  title: string,
  render: (row: Row) => ReactNode,
  options: Options<Row> = {},
): ListColumn<Row> {
  return { id: title, title, render, ...options }
}

/** A short text on one line, whose whole is shown on hover. */
function textColumn<Row>(
  title: string,
  textOf: (row: Row) => string | null,
  options?: Options<Row>,
): ListColumn<Row> {
  const render = (row: Row) => {
    const text = textOf(row)
    return text ? (
      <Text span display="block" truncate title={text} fz="inherit">
        {text}
      </Text>
    ) : (
      <None />
    )
  }
  return column(title, render, options)
}

/** Numbers on the right; zeros are dimmed. */
function numberColumn<Row>(
  title: string,
  numberOf: (row: Row) => number | null,
  options?: Options<Row>,
): ListColumn<Row> {
  const render = (row: Row) => {
    const number = numberOf(row)
    if (number === null) return <None />
    return number === 0 ? <Dimmed>0</Dimmed> : formatNumber(number)
  }
  return column(title, render, { width: 100, align: 'right', phone: 'labelled', ...options })
}

/**
 * How long ago something was. `exact`: the time itself, where the date matters; `seconds`: where several entries can have
 * the same minute.
 */
function timeColumn<Row>(
  title: string,
  timeOf: (row: Row) => string | null,
  {
    exact = false,
    seconds = false,
    none = '—',
    ...options
  }: Options<Row> & { exact?: boolean; seconds?: boolean; none?: string } = {},
): ListColumn<Row> {
  const render = (row: Row) => {
    const at = timeOf(row)
    if (at === null) return <Dimmed>{none}</Dimmed>
    return <Dimmed>{exact ? <Time at={at} seconds={seconds} /> : <Ago at={at} />}</Dimmed>
  }
  const width = exact ? (seconds ? 205 : 185) : 120
  return column(title, render, { width, phone: 'end', ...options })
}

/** A link to a platform by its title. */
function platformColumn<Row>(
  title: string,
  nameOf: (row: Row) => string | null,
  options?: Options<Row>,
): ListColumn<Row> {
  return column(title, (row) => <PlatformLink name={nameOf(row)} isCell />, {
    width: 180,
    ...options,
  })
}

/** Buttons at the end of a row. */
function actionsColumn<Row>(
  title: string,
  render: (row: Row) => ReactNode,
  options?: Options<Row>,
): ListColumn<Row> {
  return column(title, render, { align: 'right', hidesTitle: true, phone: 'end2', ...options })
}

/** The builders for the columns of a list of such rows. */
export function columnsFor<Row>() {
  return {
    of: column<Row>,
    text: textColumn<Row>,
    number: numberColumn<Row>,
    time: timeColumn<Row>,
    platform: platformColumn<Row>,
    actions: actionsColumn<Row>,
  }
}

/** Secondary text below the first line of a cell. */
export function Below({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" component="div">
      {children}
    </Text>
  )
}

export function Dimmed({ children }: { children: ReactNode }) {
  return (
    <Text span c="dimmed" fz="inherit">
      {children}
    </Text>
  )
}

/** How many records one side has too few or too many; equal and unknown ones are dimmed. */
export function Difference({ difference }: { difference: number | null }) {
  if (difference === null) return <None />
  return (
    <Tinted color={difference === 0 ? 'dimmed' : 'orange'}>
      {difference > 0 && '+'}
      {difference < 0 && '−'}
      {formatNumber(Math.abs(difference))}
    </Tinted>
  )
}

const None = () => <Dimmed>—</Dimmed>
