// Checks vectors from standard input against C#'s long. Prints what differs, and how many were checked.
using System;
using System.Linq;

var checkedCount = 0;
while (Console.ReadLine() is { } line)
{
    var columns = line.Split('\t');
    var fields = columns[1].Split(',').Select(part => part.Split(':')).ToArray();
    var widths = fields.Select(field => int.Parse(field[0])).ToArray();
    var values = fields.Select(field => long.Parse(field[1])).ToArray();

    var id = 0L;
    for (var at = 0; at < widths.Length; at++) id = (id << widths[at]) | values[at];
    Compare(columns[0], "decimal", id.ToString(), columns[2]);
    Compare(columns[0], "hex", id.ToString("x16"), columns[3]);
    Compare(columns[0], "binary", Convert.ToString(id, 2).PadLeft(64, '0'), columns[4]);

    var rest = long.Parse(columns[2]);
    for (var at = widths.Length - 1; at >= 0; at--)
    {
        var value = rest & ((1L << widths[at]) - 1);
        if (value != values[at]) Console.WriteLine($"{columns[0]}: decodes to {value} in field {at}");
        rest >>= widths[at];
    }
    checkedCount++;
}
Console.WriteLine($"checked {checkedCount}");

static void Compare(string name, string form, string said, string wanted)
{
    if (said != wanted) Console.WriteLine($"{name}: {form} is {said}, not {wanted}");
}
