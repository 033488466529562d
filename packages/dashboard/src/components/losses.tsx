import { Paper, Table } from '@mantine/core'
import { formatNumber } from '../lib/format.ts'

/** What a deletion takes, with its numbers, and what it keeps. */
export function Losses(props: {
  lost: readonly (readonly [what: string, count: number])[]
  kept?: string
}) {
  const { lost, kept } = props
  return (
    <Paper withBorder radius="md">
      <Table verticalSpacing={5} aria-label="What is deleted">
        <Table.Tbody>
          {lost.map(([what, count]) => (
            <Table.Tr key={what}>
              <Table.Td>{what}</Table.Td>
              <Table.Td ta="right" fw={600}>
                {formatNumber(count)}
              </Table.Td>
            </Table.Tr>
          ))}
          {kept && (
            <Table.Tr>
              <Table.Td colSpan={2} c="dimmed">
                Kept: {kept}
              </Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}
