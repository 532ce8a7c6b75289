<?php
// Checks vectors from standard input against PHP's 64-bit integers. Prints what differs, and how many were checked.
declare(strict_types=1);

function compose(array $fields): int
{
    $id = 0;
    foreach ($fields as [$bits, $value]) {
        $id = ($id << $bits) | $value;
    }
    return $id;
}

function decode(int $id, array $widths): array
{
    $values = [];
    foreach (array_reverse($widths) as $bits) {
        array_unshift($values, $id & ((1 << $bits) - 1));
        $id >>= $bits;
    }
    return $values;
}

$checked = 0;
while (($line = fgets(STDIN)) !== false) {
    [$name, $parts, $decimal, $hex, $binary] = explode("\t", rtrim($line, "\n"));
    $fields = array_map(fn ($part) => array_map('intval', explode(':', $part)), explode(',', $parts));
    $id = compose($fields);
    $said = ['decimal' => (string) $id, 'hex' => sprintf('%016x', $id), 'binary' => sprintf('%064b', $id)];
    $wanted = ['decimal' => $decimal, 'hex' => $hex, 'binary' => $binary];
    foreach ($said as $form => $text) {
        if ($text !== $wanted[$form]) {
            echo "$name: $form is $text, not {$wanted[$form]}\n";
        }
    }
    $values = decode(intval($decimal), array_column($fields, 0));
    if ($values !== array_column($fields, 1)) {
        echo "$name: decodes to ", implode(' ', $values), "\n";
    }
    $checked++;
}
echo "checked $checked\n";
