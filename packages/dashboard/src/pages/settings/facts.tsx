import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** A table of names and values. */
export function Facts({ label, facts }: { label: string; facts: [string, ReactNode][] }) {
  return (
    <Table aria-label={label} layout="fixed">
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
