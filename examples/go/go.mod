module example.com/snowflake

go 1.19
