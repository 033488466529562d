import { Anchor, Box, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { formatNumber } from '../lib/format.ts'
import { isPlainObject, textOfValue } from '../lib/lossless-json.ts'
import classes from './value-view.module.css'

const LONG = 400
const MANY = 50

/** A value of a platform in full: nested values as a tree, numbers with the digits that were sent. */
export function ValueView({ value }: { value: unknown }) {
  if (Array.isArray(value) || isPlainObject(value)) return <Tree value={value} />
  const text = textOfValue(value)
  if (text === null) return <Dimmed>—</Dimmed>
  if (text === '') return <Dimmed>—</Dimmed>
  return typeof value === 'string' ? (
    <LongText text={text} />
  ) : (
    <Text span fz="sm" ff="monospace">
      {text}
    </Text>
  )
}

function LongText({ text }: { text: string }) {
  const [isExpanded, setExpanded] = useState(false)
  const isLong = text.length > LONG
  return (
    <Text span inherit className={classes['text']}>
      {isLong && !isExpanded ? `${text.slice(0, LONG)}… ` : text}
      {isLong && ' '}
      {isLong && (
        <Anchor component="button" type="button" fz="sm" onClick={() => setExpanded(!isExpanded)}>
          {isExpanded ? 'Show less' : `Show all ${formatNumber(text.length)} characters`}
        </Anchor>
      )}
    </Text>
  )
}

function Tree({ value }: { value: unknown[] | Record<string, unknown> }) {
  const [max, setMax] = useState(MANY)
  const entries = Object.entries(value)
  if (entries.length === 0) return <Dimmed>—</Dimmed>
  return (
    <Stack gap={2} className={classes['tree']}>
      {entries.slice(0, max).map(([key, member]) => (
        <Box key={key}>
          <Text span fz="xs" c="dimmed" ff="monospace">
            {key}:{' '}
          </Text>
          <ValueView value={member} />
        </Box>
      ))}
      {entries.length > max && (
        <Anchor component="button" type="button" fz="sm" onClick={() => setMax(max * 10)}>
          {`Show more (${formatNumber(entries.length)} in total)`}
        </Anchor>
      )}
    </Stack>
  )
}

function Dimmed({ children }: { children: string }) {
  return (
    <Text span c="dimmed" fz="sm" fs="italic">
      {children}
    </Text>
  )
}
