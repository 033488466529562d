import { Anchor, Box, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { isPlainObject, textOfValue } from '../lib/exact-json.ts'
import classes from './value-view.module.css'

const LONG = 400
const MANY = 50

/** A value of a platform, whole: a nested one as a tree, numbers with the digits that were sent. */
export function ValueView({ value }: { value: unknown }) {
  if (Array.isArray(value) || isPlainObject(value)) return <Tree value={value} />
  const text = textOfValue(value)
  if (text === null) return <Quiet>{value === null ? 'null' : 'absent'}</Quiet>
  if (text === '') return <Quiet>empty text</Quiet>
  return typeof value === 'string' ? (
    <LongText text={text} />
  ) : (
    <Text span fz="sm" ff="monospace">
      {text}
    </Text>
  )
}

function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > LONG
  return (
    <Text span fz="sm" className={classes['text']}>
      {isLong && !isWhole ? `${text.slice(0, LONG)}… ` : text}
      {isLong && (
        <Anchor component="button" type="button" fz="sm" onClick={() => setWhole(!isWhole)}>
          {isWhole ? ' Show less' : `Show all ${text.length.toLocaleString('en-US')} characters`}
        </Anchor>
      )}
    </Text>
  )
}

function Tree({ value }: { value: unknown[] | Record<string, unknown> }) {
  const [most, setMost] = useState(MANY)
  const entries = Object.entries(value)
  if (entries.length === 0) return <Quiet>{Array.isArray(value) ? 'empty list' : 'empty'}</Quiet>
  return (
    <Stack gap={2} className={classes['tree']}>
      {entries.slice(0, most).map(([key, member]) => (
        <Box key={key}>
          <Text span fz="xs" c="dimmed" ff="monospace">
            {key}:{' '}
          </Text>
          <ValueView value={member} />
        </Box>
      ))}
      {entries.length > most && (
        <Anchor component="button" type="button" fz="sm" onClick={() => setMost(most * 10)}>
          Show more of the {entries.length.toLocaleString('en-US')}
        </Anchor>
      )}
    </Stack>
  )
}

function Quiet({ children }: { children: string }) {
  return (
    <Text span c="dimmed" fz="sm" fs="italic">
      {children}
    </Text>
  )
}
